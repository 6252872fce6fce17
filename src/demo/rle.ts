/** Pixels to compress: samples of 1 or 2 bytes, color as bytes interleaved by pixel. */
export type RleInput = {
  readonly samples: Uint8Array | Uint16Array | Int16Array;
  readonly samplesPerPixel: 1 | 3;
  readonly columns: number;
};

const HEADER_BYTES = 64;

/** One frame as RLE Lossless, PS3.5 Annex G: each byte of a pixel in a segment of its own, the highest byte first. */
export function encodeRleFrame({ samples, samplesPerPixel, columns }: RleInput): Uint8Array {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  const width = samples.BYTES_PER_ELEMENT;
  const stride = width * samplesPerPixel;
  const planes = Array.from(
    { length: stride },
    (_, plane) => Math.floor(plane / width) * width + (width - 1 - (plane % width)),
  );
  // In the worst case each row of a segment grows by one byte in 128, and by one.
  const pixels = bytes.length / stride;
  const output = new Uint8Array(
    HEADER_BYTES + stride * (pixels + 2 * Math.ceil(pixels / 128) + 2 * Math.ceil(pixels / columns) + 2),
  );
  const header = new DataView(output.buffer);
  header.setUint32(0, stride, true);
  const line = new Uint8Array(columns);
  let at = HEADER_BYTES;
  for (const [segment, plane] of planes.entries()) {
    header.setUint32(4 * (segment + 1), at, true);
    for (let from = plane; from < bytes.length; from += columns * stride) {
      takeEvery(stride, bytes.subarray(from), line);
      at = packRow(line, output, at);
    }
    if (at % 2 === 1) at += 1;
  }
  return output.subarray(0, at);
}

function takeEvery(stride: number, bytes: Uint8Array, line: Uint8Array): void {
  for (let i = 0; i < line.length; i++) line[i] = bytes[i * stride]!;
}

/** PackBits, PS3.5 G.3.1: no run crosses from one row into the next. Returns where the output goes on. */
function packRow(line: Uint8Array, output: Uint8Array, start: number): number {
  let at = start;
  let literal = 0;
  for (let from = 0; from < line.length;) {
    const value = line[from]!;
    let to = from + 1;
    while (to < line.length && line[to] === value) to++;
    // A run of two saves nothing, and would end the literal it stands in.
    if (to - from > 2) {
      at = packLiteral(line.subarray(literal, from), output, at);
      at = packRun({ value, length: to - from }, output, at);
      literal = to;
    }
    from = to;
  }
  return packLiteral(line.subarray(literal), output, at);
}

const LONGEST = 128;

function packRun({ value, length }: { value: number; length: number }, output: Uint8Array, start: number): number {
  let at = start;
  for (let left = length; left > 0;) {
    // One byte left over after full runs is a literal of one: there is no run of one.
    const part = Math.min(left, LONGEST);
    output[at++] = part === 1 ? 0 : 257 - part;
    output[at++] = value;
    left -= part;
  }
  return at;
}

function packLiteral(bytes: Uint8Array, output: Uint8Array, start: number): number {
  let at = start;
  for (let from = 0; from < bytes.length; from += LONGEST) {
    const end = Math.min(bytes.length, from + LONGEST);
    output[at++] = end - from - 1;
    for (let i = from; i < end; i++) output[at++] = bytes[i]!;
  }
  return at;
}
