import { crc32, deflateSync } from 'node:zlib';
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
  | ({ readonly channels: 1 } & Levels);

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
  const { length } = picture.table === undefined ? picture.pixels : picture.samples;
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
  const { channels, pixels } = picture;
  const bytesPerRow = columns * channels;
  const filtered = filterSub(pixels, rows, bytesPerRow, channels);
  // One large piece avoids joining many of 16 KiB.
  const chunkSize = Math.max(16_384, Math.ceil(filtered.length / 2));
  return [deflateSync(filtered, { level: 1, memLevel: 9, chunkSize })];
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
