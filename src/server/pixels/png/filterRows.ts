const SUB = 1;
const UP = 2;

/** Each byte minus the one above it; the row above the first is 0. Every row begins with its filter's number. */
export function filterUp(pixels: Uint8Array, rows: number, bytesPerRow: number): Uint8Array {
  const filtered = new Uint8Array((bytesPerRow + 1) * rows);
  let to = 0;
  for (let row = 0; row < rows; row++) {
    filtered[to++] = UP;
    const start = row * bytesPerRow;
    const end = start + bytesPerRow;
    if (row === 0) {
      filtered.set(pixels.subarray(start, end), to);
      to += bytesPerRow;
    } else {
      for (let from = start; from < end; from++) filtered[to++] = pixels[from]! - pixels[from - bytesPerRow]!;
    }
  }
  return filtered;
}

/** Each byte minus the same channel of the pixel to its left; what is left of the first is 0. */
export function filterSub(pixels: Uint8Array, rows: number, bytesPerRow: number, channels: number): Uint8Array {
  const filtered = new Uint8Array((bytesPerRow + 1) * rows);
  let to = 0;
  for (let row = 0; row < rows; row++) {
    filtered[to++] = SUB;
    const start = row * bytesPerRow;
    const end = start + bytesPerRow;
    for (let from = start; from < start + channels; from++) filtered[to++] = pixels[from]!;
    for (let from = start + channels; from < end; from++) filtered[to++] = pixels[from]! - pixels[from - channels]!;
  }
  return filtered;
}
