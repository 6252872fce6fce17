import { crc32, inflateSync } from 'node:zlib';

export type Png = {
  rows: number;
  columns: number;
  channels: number;
  pixels: Uint8Array;
  /** Contents of all chunks by type; chunks of the same type are concatenated. */
  chunks: Map<string, Buffer>;
};

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 4: 2, 6: 4 };

/** Decodes a non-interlaced 8-bit PNG with any filters. Throws if the checksum of a chunk is wrong. */
export function readPng(bytes: Uint8Array): Png {
  const chunks = readChunks(Buffer.from(bytes));
  const header = chunks.get('IHDR');
  const data = chunks.get('IDAT');
  if (header === undefined || data === undefined || !chunks.has('IEND')) throw new Error('not a whole PNG');
  const [columns, rows] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = CHANNELS[header[9]!];
  if (header[8] !== 8 || channels === undefined || header[12] !== 0) throw new Error('a kind of PNG that is not read');
  const pixels = unfilter(inflateSync(data), rows, columns * channels, channels);
  return { rows, columns, channels, pixels, chunks };
}

/** The gray levels of a PNG. Throws if it is not gray. */
export function grayOf(bytes: Uint8Array): number[] {
  const { channels, pixels } = readPng(bytes);
  if (channels !== 1) throw new Error(`the picture has ${channels} channels`);
  return [...pixels];
}

function readChunks(bytes: Buffer): Map<string, Buffer> {
  if (bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') throw new Error('not a PNG');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (bytes.readUInt32BE(at + 8 + length) !== crc32(bytes.subarray(at + 4, at + 8 + length))) {
      throw new Error(`the checksum of ${type} is wrong`);
    }
    chunks.set(type, Buffer.concat([chunks.get(type) ?? Buffer.alloc(0), content]));
    at += length + 12;
  }
  return chunks;
}

function unfilter(data: Uint8Array, rows: number, bytesPerRow: number, channels: number): Uint8Array {
  if (data.length !== rows * (bytesPerRow + 1)) throw new Error('the picture data has the wrong length');
  const pixels = new Uint8Array(rows * bytesPerRow);
  for (let row = 0; row < rows; row++) {
    const filter = data[row * (bytesPerRow + 1)];
    for (let i = 0; i < bytesPerRow; i++) {
      const at = row * bytesPerRow + i;
      const left = i < channels ? 0 : pixels[at - channels]!;
      const above = row === 0 ? 0 : pixels[at - bytesPerRow]!;
      const corner = i < channels || row === 0 ? 0 : pixels[at - bytesPerRow - channels]!;
      pixels[at] = data[row * (bytesPerRow + 1) + 1 + i]! + predict(filter, left, above, corner);
    }
  }
  return pixels;
}

function predict(filter: number | undefined, left: number, above: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter === 4) return paeth(left, above, corner);
  throw new Error(`there is no filter ${filter}`);
}

function paeth(left: number, above: number, corner: number): number {
  const estimate = left + above - corner;
  const byLeft = Math.abs(estimate - left);
  const byAbove = Math.abs(estimate - above);
  const byCorner = Math.abs(estimate - corner);
  if (byLeft <= byAbove && byLeft <= byCorner) return left;
  return byAbove <= byCorner ? above : corner;
}
