import { inflateSync } from 'node:zlib';
import { unfilterRows } from './unfilterRows.ts';

/** A picture with 8 bits per channel. */
export type PngPicture = {
  readonly rows: number;
  readonly columns: number;
  readonly channels: 1 | 3;
  readonly pixels: Uint8Array;
};

const SIGNATURE_BYTES = 8;
/** Length, name and checksum. */
const CHUNK_BYTES = 12;

/** Reads a gray or color picture that `encodePng` has written; other forms of PNG are not read. */
export function decodePng(bytes: Uint8Array): PngPicture {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const nameAt = (at: number) => String.fromCharCode(...bytes.subarray(at + 4, at + 8));
  const parts: Uint8Array[] = [];
  const header = SIGNATURE_BYTES + 8;
  const [columns, rows] = [view.getUint32(header), view.getUint32(header + 4)];
  const [bits, colorType] = [bytes[header + 8], bytes[header + 9]];
  if (bits !== 8 || (colorType !== 0 && colorType !== 2)) throw new Error('this is no picture of ours');
  for (let at = SIGNATURE_BYTES; at + CHUNK_BYTES <= bytes.length; at += CHUNK_BYTES + view.getUint32(at)) {
    if (nameAt(at) === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  const channels = colorType === 0 ? 1 : 3;
  const width = columns * channels;
  const filtered = inflateSync(Buffer.concat(parts), { maxOutputLength: rows * (width + 1) });
  return { rows, columns, channels, pixels: unfilterRows(filtered, { rows, width, step: channels }) };
}
