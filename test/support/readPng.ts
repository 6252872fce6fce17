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
  let above = new Uint8Array(bytesPerRow);
  for (let row = 0; row < rows; row++) {
    const at = row * (bytesPerRow + 1);
    const line = pixels.subarray(row * bytesPerRow, (row + 1) * bytesPerRow);
    line.set(data.subarray(at + 1, at + 1 + bytesPerRow));
    unfilterLine(data[at]!, line, above, channels);
    above = line;
  }
  return pixels;
}

/** A loop for each filter: one for all of them takes ten times as long. */
function unfilterLine(filter: number, line: Uint8Array, above: Uint8Array, channels: number): void {
  const { length } = line;
  switch (filter) {
    case 0:
      return;
    case 1:
      for (let i = channels; i < length; i++) line[i]! += line[i - channels]!;
      return;
    case 2:
      for (let i = 0; i < length; i++) line[i]! += above[i]!;
      return;
    case 3:
      for (let i = 0; i < length; i++) line[i]! += ((i < channels ? 0 : line[i - channels]!) + above[i]!) >> 1;
      return;
    case 4:
      for (let i = 0; i < Math.min(channels, length); i++) line[i]! += above[i]!;
      for (let i = channels; i < length; i++) {
        line[i]! += paeth(line[i - channels]!, above[i]!, above[i - channels]!);
      }
      return;
    default:
      throw new Error(`there is no filter ${filter}`);
  }
}

function paeth(left: number, above: number, corner: number): number {
  const estimate = left + above - corner;
  const byLeft = Math.abs(estimate - left);
  const byAbove = Math.abs(estimate - above);
  const byCorner = Math.abs(estimate - corner);
  if (byLeft <= byAbove && byLeft <= byCorner) return left;
  return byAbove <= byCorner ? above : corner;
}
