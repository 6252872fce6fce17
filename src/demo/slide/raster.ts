/** An RGB picture, 8 bits per sample, interleaved. */
export type Raster = { readonly rows: number; readonly columns: number; readonly pixels: Uint8Array };

export type Color = readonly [red: number, green: number, blue: number];

export function createRaster(rows: number, columns: number, color: Color): Raster {
  const row = new Uint8Array(columns * 3);
  for (let i = 0; i < row.length; i++) row[i] = color[i % 3]!;
  const pixels = new Uint8Array(rows * row.length);
  for (let at = 0; at < pixels.length; at += row.length) pixels.set(row, at);
  return { rows, columns, pixels };
}

export function fillRectangle(
  raster: Raster,
  box: { left: number; top: number; width: number; height: number },
  color: Color,
): void {
  for (let row = box.top; row < box.top + box.height; row++) {
    for (let column = box.left; column < box.left + box.width; column++) setPixel(raster, column, row, color);
  }
}

export function setPixel({ columns, pixels }: Raster, column: number, row: number, color: Color): void {
  pixels.set(color, 3 * (row * columns + column));
}

/** The same picture at a fraction of its size: each pixel is the mean of `factor` by `factor` pixels. */
export function shrink({ rows, columns, pixels }: Raster, factor: number): Raster {
  const small = { rows: rows / factor, columns: columns / factor };
  const output = new Uint8Array(small.rows * small.columns * 3);
  const sums = new Uint32Array(small.columns * 3);
  for (let row = 0; row < small.rows; row++) {
    sums.fill(0);
    for (let line = row * factor; line < (row + 1) * factor; line++) {
      let at = line * columns * 3;
      for (let to = 0; to < sums.length; to += 3) {
        for (let i = 0; i < factor; i++, at += 3) {
          sums[to]! += pixels[at]!;
          sums[to + 1]! += pixels[at + 1]!;
          sums[to + 2]! += pixels[at + 2]!;
        }
      }
    }
    for (let i = 0; i < sums.length; i++) output[row * sums.length + i] = sums[i]! / (factor * factor);
  }
  return { ...small, pixels: output };
}

/**
 * Square tiles in rows from the upper left, the last ones padded with `color`. All tiles that contain only this color
 * are the same object.
 */
export function cutTiles(raster: Raster, side: number, color: Color): Uint8Array[] {
  const blank = createRaster(side, side, color).pixels;
  const tiles: Uint8Array[] = [];
  for (let top = 0; top < raster.rows; top += side) {
    for (let left = 0; left < raster.columns; left += side) {
      const tile = blank.slice();
      const width = Math.min(side, raster.columns - left) * 3;
      for (let row = 0; row < Math.min(side, raster.rows - top); row++) {
        const from = 3 * ((top + row) * raster.columns + left);
        tile.set(raster.pixels.subarray(from, from + width), row * side * 3);
      }
      tiles.push(Buffer.compare(tile, blank) === 0 ? blank : tile);
    }
  }
  return tiles;
}
