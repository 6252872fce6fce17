/** Pixels to compress: samples of 1 or 2 bytes, color as bytes interleaved by pixel. */
export type RleInput = { readonly samples: Uint8Array | Uint16Array | Int16Array; readonly samplesPerPixel: 1 | 3; readonly columns: number };

const HEADER_BYTES = 64;

/** One frame as RLE Lossless, PS3.5 Annex G: each byte of a pixel in a segment of its own, the highest byte first. */
export function encodeRleFrame({ samples, samplesPerPixel, columns }: RleInput): Uint8Array {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  const width = samples.BYTES_PER_ELEMENT;
  const stride = width * samplesPerPixel;
  const planes = Array.from({ length: stride }, (_, plane) => Math.floor(plane / width) * width + (width - 1 - (plane % width)));
  // In the worst case each row of a segment grows by one byte in 128, and by one.
  const pixels = bytes.length / stride;
  const output = new Uint8Array(HEADER_BYTES + stride * (pixels + 2 * Math.ceil(pixels / 128) + 2 * Math.ceil(pixels / columns) + 2));
  const header = new DataView(output.buffer);
  header.setUint32(0, stride, true);
  const line = new Uint8Array(columns);
  let at = HEADER_BYTES;
  for (const [segment, plane] of planes.entries()) {
    header.setUint32(4 * (segment + 1), at, true);
    for (let from = plane; from < bytes.length; from += columns * stride) {
      for (let i = 0; i < columns; i++) line[i] = bytes[from + i * stride]!;
      at = packRow(line, output, at);
    }
    if (at % 2 === 1) at += 1;
  }
  return output.subarray(0, at);
}

/** PackBits, PS3.5 G.3.1. No run crosses from one row into the next. */
function packRow(line: Uint8Array, output: Uint8Array, start: number): number {
  let at = start;
  let from = 0;
  while (from < line.length) {
    const run = runLength(line, from);
    if (run > 2) {
      output[at++] = 257 - run;
      output[at++] = line[from]!;
      from += run;
      continue;
    }
    const literal = literalLength(line, from);
    output[at++] = literal - 1;
    for (let i = 0; i < literal; i++) output[at++] = line[from + i]!;
    from += literal;
  }
  return at;
}

function runLength(line: Uint8Array, from: number): number {
  const value = line[from]!;
  const limit = Math.min(line.length, from + 128);
  let to = from + 1;
  while (to < limit && line[to] === value) to++;
  return to - from;
}

/** Up to the next run of three, which is the shortest that saves a byte. */
function literalLength(line: Uint8Array, from: number): number {
  const limit = Math.min(line.length, from + 128);
  let to = from + 1;
  while (to < limit && !(line[to] === line[to + 1] && line[to] === line[to + 2])) to++;
  return to - from;
}
