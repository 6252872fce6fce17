import type { ByteSource } from '../../bytes/origins/byteSource.ts';

type Source = Pick<ByteSource, 'read'>;

/** A part of a source that has zeros in the copy. */
export type Blank = { readonly offset: number; readonly length: number };

/** A stream has some dozens of segments before its pixels. */
const MOST_SEGMENTS = 4_096;
/** Enough to recognize what an application has written. */
const NAME = 12;
const MOST_BLANKS = 200_000;

/**
 * Comments, and data of applications such as EXIF, in the compressed frames of encapsulated pixel data: in JPEG and JPEG-LS
 * (ITU-T T.81 B.2.4) before the first scan, in JPEG 2000 (T.800 A.9.2) in the main header. Decoders do not need them. Throws a
 * RangeError if there are too many.
 */
export function findComments(source: Source, { offset, length }: Blank): Blank[] {
  const found: Blank[] = [];
  const end = offset + length;
  let isTable = true;
  for (let at = offset; at + 8 <= end;) {
    const item = source.read(at, 8);
    const isItem = uint16(item, 0) === 0xfeff && uint16(item, 2) === 0x00e0;
    const size = item[4]! + item[5]! * 0x100 + item[6]! * 0x10000 + item[7]! * 0x1000000;
    if (!isItem) break;
    // The first item is the offset table.
    if (!isTable) findInStream(source, { offset: at + 8, length: Math.min(size, end - at - 8) }, found);
    if (found.length > MOST_BLANKS) throw new RangeError('its frames have too many comments');
    isTable = false;
    at += 8 + size;
  }
  return found;
}

function findInStream(source: Source, { offset, length }: Blank, found: Blank[]): void {
  const end = offset + length;
  const start = length < 4 ? 0 : uint16(source.read(offset, 2), 0);
  if (start !== SOI && start !== SOC) return;
  const isJ2k = start === SOC;
  let at = offset + 2;
  for (let segment = 0; segment < MOST_SEGMENTS && at + 4 <= end; segment += 1) {
    const bytes = source.read(at, 4 + NAME);
    const marker = uint16(bytes, 0);
    // Fill bytes may precede a marker.
    if (marker === 0xffff) {
      at += 1;
      continue;
    }
    if (marker < 0xff01 || marker === (isJ2k ? SOT : SOS)) return;
    const size = uint16(bytes, 2);
    if (size < 2) return;
    const next = at + 2 + size;
    const name = Buffer.from(bytes.subarray(4)).toString('latin1');
    // Of a comment of JPEG 2000, the first two bytes say whether it is text.
    const kept = isJ2k ? 6 : 4;
    if ((isJ2k ? marker === J2K_COMMENT : isOther(marker, name)) && next <= end && next > at + kept) {
      found.push({ offset: at + kept, length: next - at - kept });
    }
    at = next;
  }
}

const SOI = 0xffd8;
const SOS = 0xffda;
const JPEG_COMMENT = 0xfffe;
const APP0 = 0xffe0;
const APP15 = 0xffef;
const SOC = 0xff4f;
const SOT = 0xff90;
const J2K_COMMENT = 0xff64;

/** Comments and data of applications, but those that say what the colors are: JFIF, ICC profiles, SPIFF and Adobe. */
function isOther(marker: number, name: string): boolean {
  if (marker === JPEG_COMMENT) return true;
  return marker >= APP0 && marker <= APP15 && !/^(?:JFIF\0|ICC_PROFILE|SPIFF\0|mrfx|Adobe)/.test(name);
}

function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) * 0x100 + (bytes[at + 1] ?? 0);
}

/** Puts zeros in the bytes that were read at `offset`. */
export function fillBlanks(bytes: Uint8Array, offset: number, blanks: readonly Blank[]): void {
  for (const blank of blanks) {
    const from = Math.max(blank.offset - offset, 0);
    const to = Math.min(blank.offset + blank.length - offset, bytes.length);
    if (from < to) bytes.fill(0, from, to);
  }
}
