/** Pixels to compress: samples of 1 or 2 bytes; color as bytes interleaved by pixel. */
export type RleInput = {
  readonly samples: Uint8Array | Uint16Array | Int16Array;
  readonly samplesPerPixel: 1 | 3;
  readonly columns: number;
};

const HEADER_BYTES = 64;

/**
 * Encodes frames as RLE Lossless, PS3.5 Annex G: each byte of a pixel in its own segment, the highest byte first. If
 * the samples of a frame are the same object as those of an earlier frame, they are not compressed again.
 */
export function encodeRleFrames(frames: readonly RleInput[]): Uint8Array[] {
  const room = new Uint8Array(Math.max(0, ...frames.map(mostBytes)));
  const done = new Map<RleInput['samples'], Uint8Array>();
  return frames.map((frame) => {
    const encoded = done.get(frame.samples) ?? room.slice(0, encodeFrame(frame, room));
    done.set(frame.samples, encoded);
    return encoded;
  });
}

/** In the worst case, every 128 bytes and every row cost one extra byte. */
function mostBytes({ samples, samplesPerPixel, columns }: RleInput): number {
  const segments = samples.BYTES_PER_ELEMENT * samplesPerPixel;
  const rows = samples.byteLength / segments / columns;
  return HEADER_BYTES + segments * (rows * (columns + Math.ceil(columns / 128) + 1) + 1);
}

/** Returns the number of bytes written to the output. */
function encodeFrame({ samples, samplesPerPixel, columns }: RleInput, output: Uint8Array): number {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  const width = samples.BYTES_PER_ELEMENT;
  const stride = width * samplesPerPixel;
  output.fill(0, 0, HEADER_BYTES);
  const header = new DataView(output.buffer);
  header.setUint32(0, stride, true);
  const line = new Uint8Array(columns + BEYOND);
  let at = HEADER_BYTES;
  for (let segment = 0; segment < stride; segment++) {
    header.setUint32(4 * (segment + 1), at, true);
    const first = Math.floor(segment / width) * width + (width - 1 - (segment % width));
    for (let from = first; from < bytes.length; from += columns * stride) {
      takeEvery(stride, { bytes, from, line, columns });
      at = packRow(line, output, at);
    }
    if (at % 2 === 1) output[at++] = 0;
  }
  return at;
}

/**
 * Number of bytes after the end of a line that can also be read. Each differs from the one before it, so that no run
 * extends into them.
 */
const BEYOND = 2;

type Taking = {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly line: Uint8Array;
  readonly columns: number;
};

function takeEvery(stride: number, { bytes, from, line, columns }: Taking): void {
  for (let i = 0; i < columns; i++) line[i] = bytes[from + i * stride]!;
  for (let i = columns; i < line.length; i++) line[i] = line[i - 1]! ^ 1;
}

/** PackBits, PS3.5 G.3.1: no run crosses from one row into the next. Returns the next position in the output. */
function packRow(line: Uint8Array, output: Uint8Array, start: number): number {
  const columns = line.length - BEYOND;
  let at = start;
  let from = 0;
  while (from < columns) {
    const value = line[from]!;
    const limit = Math.min(columns, from + LONGEST);
    let to = from + 1;
    while (to < limit && line[to] === value) to++;
    if (to - from > 2) {
      output[at++] = 257 - (to - from);
      output[at++] = value;
    } else {
      // Literal bytes up to the next run of three, because a run of two saves nothing.
      to = Math.min(limit, nextRun(line, to, limit));
      output[at++] = to - from - 1;
      for (let i = from; i < to; i++) output[at++] = line[i]!;
    }
    from = to;
  }
  return at;
}

const LONGEST = 128;

/** Start of the next run of three; `limit` or `limit + 1` if there is none before `limit`. */
function nextRun(line: Uint8Array, from: number, limit: number): number {
  let at = from;
  while (at < limit) {
    // If these two bytes differ, no run can begin at either of the next two positions.
    if (line[at + 1] !== line[at + 2]) at += 2;
    else if (line[at] !== line[at + 1]) at += 1;
    else return at;
  }
  return at;
}
