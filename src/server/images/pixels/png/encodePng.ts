import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib';
import { isProfileFor } from '../iccProfile.ts';
import { createRowDeflater, type Levels } from './deflateRows.ts';
import { filterSub } from './filterRows.ts';

export type PngImage = PngPixels & {
  readonly rows: number;
  readonly columns: number;
  /** ICC Profile (0028,2000). Left out if it does not fit the color type of the picture. */
  readonly iccProfile?: Uint8Array | undefined;
  /** Height of a pixel over its width. */
  readonly pixelAspectRatio?: number | undefined;
};

/** Gray, RGB, or RGB with alpha, 8 bits per channel. */
type PngPixels =
  | { readonly channels: 1 | 3 | 4; readonly pixels: Uint8Array; readonly table?: undefined }
  | { readonly channels: 3; readonly readRows: ReadRows; readonly table?: undefined }
  | ({ readonly channels: 1 } & Levels);

/** Rows from the first up to but not including the second, which are made when they are asked for. */
type ReadRows = (from: number, to: number) => Uint8Array;

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const COLOR_TYPE = { 1: 0, 3: 2, 4: 6 } as const;

/**
 * Encodes a picture. Call it in a worker, because it blocks for some milliseconds per megapixel. The caller owns the
 * result.
 */
export function encodePng(image: PngImage): Uint8Array {
  return join([
    SIGNATURE,
    ...chunk('IHDR', header(image)),
    ...colorProfile(image),
    ...pixelShape(image),
    ...chunk('IDAT', ...compress(image)),
    ...chunk('IEND', new Uint8Array(0)),
  ]);
}

function header({ rows, columns, channels, ...picture }: PngImage): Uint8Array {
  const known = 'readRows' in picture ? undefined : picture.table === undefined ? picture.pixels : picture.samples;
  const { length } = known ?? { length: rows * columns * channels };
  if (rows < 1 || columns < 1 || length !== rows * columns * channels) {
    throw new Error(`${length} bytes are no picture of ${rows} x ${columns} x ${channels}`);
  }
  const bytes = new Uint8Array(13);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, columns);
  view.setUint32(4, rows);
  bytes.set([8, COLOR_TYPE[channels]], 8);
  return bytes;
}

const deflateRows = createRowDeflater();

/**
 * Gray medical images are noisy and matches are rare, so only runs are searched for, which is both faster and smaller
 * than the higher levels of deflate. Color images, mostly screenshots and ultrasound, are repetitive enough for matches
 * to pay off.
 */
function compress({ rows, columns, ...picture }: PngImage): readonly Uint8Array[] {
  if (picture.channels === 1) return deflateRows({ ...picture, rows, bytesPerRow: columns });
  const { channels } = picture;
  const bytesPerRow = columns * channels;
  const readRows: ReadRows =
    'readRows' in picture
      ? picture.readRows
      : (from, to) => picture.pixels.subarray(from * bytesPerRow, to * bytesPerRow);
  return deflateColors({ rows, bytesPerRow, channels, readRows });
}

/** Rows are filtered and compressed in stripes of about this size, so that no more than the result is in memory. */
const STRIPE_BYTES = 2 ** 20;

type ColorStripes = {
  readonly rows: number;
  readonly bytesPerRow: number;
  readonly channels: number;
  readonly readRows: ReadRows;
};

/** A stream of zlib (RFC 1950) of stripes, each of which ends at a whole byte. */
function deflateColors({ rows, bytesPerRow, channels, readRows }: ColorStripes): readonly Uint8Array[] {
  const step = Math.min(rows, Math.max(1, Math.floor(STRIPE_BYTES / (bytesPerRow + 1))));
  const pieces: Uint8Array[] = [Uint8Array.of(0x78, 0x01)];
  const memory = new Uint8Array(step * (bytesPerRow + 1));
  let checksum = 1;
  for (let from = 0; from < rows; from += step) {
    const to = Math.min(rows, from + step);
    const filtered = filterSub(readRows(from, to), memory, { rows: to - from, bytesPerRow, channels });
    const finishFlush = to === rows ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    // One large piece avoids joining many of 16 KiB.
    const chunkSize = Math.max(16_384, Math.ceil(filtered.length / 2));
    // A copy, because the result is a view of all memory that was allocated for it.
    pieces.push(new Uint8Array(deflateRawSync(filtered, { level: 1, memLevel: 9, chunkSize, finishFlush })));
    checksum = adler32(filtered, checksum);
  }
  const tail = new Uint8Array(4);
  new DataView(tail.buffer).setUint32(0, checksum);
  return [...pieces, tail];
}

const ADLER_BASE = 65_521;
/** The sums of so many bytes fit into 32 bits. */
const ADLER_STEP = 3_800;

function adler32(bytes: Uint8Array, checksum: number): number {
  let low = checksum & 0xffff;
  let high = checksum >>> 16;
  for (let from = 0; from < bytes.length; from += ADLER_STEP) {
    const to = Math.min(bytes.length, from + ADLER_STEP);
    for (let at = from; at < to; at += 1) {
      low += bytes[at]!;
      high += low;
    }
    low %= ADLER_BASE;
    high %= ADLER_BASE;
  }
  return ((high << 16) | low) >>> 0;
}

function colorProfile({ iccProfile, channels }: PngImage): Uint8Array[] {
  if (iccProfile === undefined || !isProfileFor(iccProfile, channels === 1 ? 'GRAY' : 'RGB ')) return [];
  // A name, its terminating zero, and compression method 0.
  const name = Uint8Array.from('ICC\0\0', (letter) => letter.charCodeAt(0));
  return chunk('iCCP', join([name, deflateSync(iccProfile)]));
}

/** Pixels per unit in x and y, with an unknown unit: only their ratio matters. */
function pixelShape({ pixelAspectRatio }: PngImage): Uint8Array[] {
  if (pixelAspectRatio === undefined || pixelAspectRatio === 1) return [];
  const x = Math.round(pixelAspectRatio * 100_000);
  if (!(x >= 1 && x < 2 ** 31)) return [];
  const bytes = new Uint8Array(9);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, x);
  view.setUint32(4, 100_000);
  return chunk('pHYs', bytes);
}

function chunk(type: string, ...content: readonly Uint8Array[]): Uint8Array[] {
  const head = new Uint8Array(8);
  const tail = new Uint8Array(4);
  new DataView(head.buffer).setUint32(
    0,
    content.reduce((length, part) => length + part.length, 0),
  );
  for (let i = 0; i < 4; i++) head[4 + i] = type.charCodeAt(i);
  const checksum = content.reduce((sum, part) => crc32(part, sum), crc32(head.subarray(4)));
  new DataView(tail.buffer).setUint32(0, checksum);
  return [head, ...content, tail];
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let position = 0;
  for (const part of parts) {
    whole.set(part, position);
    position += part.length;
  }
  return whole;
}
