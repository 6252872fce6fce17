import type { ByteSource } from '../origins/byteSource.ts';
import { dictionaryVr } from './dictionary.ts';
import { ElementCursor, isKnownVrCode, UNDEFINED_LENGTH, vrOfCode } from './elementCursor.ts';
import type { Encoding } from './transferSyntax.ts';

const CANDIDATES: readonly Encoding[] = [
  { explicit: true, littleEndian: true, deflated: false },
  { explicit: false, littleEndian: true, deflated: false },
  { explicit: true, littleEndian: false, deflated: false },
  { explicit: false, littleEndian: false, deflated: false },
];

/** Number of plausible elements required to accept bytes without `DICM` as DICOM. */
const CONVINCING = 3;

/**
 * The encoding in which the element at a position is plausible: its tag is in the dictionary, and its VR or length
 * matches. The claimed encoding is tried first.
 */
export function guessEncoding(source: ByteSource, position: number, claimed?: Encoding): Encoding | undefined {
  const cursor = new ElementCursor(source);
  const candidates = claimed === undefined ? CANDIDATES : [claimed, ...CANDIDATES];
  return candidates.find((encoding) => countPlausible(cursor, position, encoding, 1) === 1);
}

/**
 * Whether a file without preamble begins with the elements of a data set or of meta information. Conservative: text,
 * images and archives must never pass.
 */
export function looksLikeDataSet(source: ByteSource): boolean {
  const cursor = new ElementCursor(source);
  return CANDIDATES.some((encoding) => {
    if (!cursor.readHeader(0, encoding.explicit, encoding.littleEndian)) return false;
    const group = cursor.tag >>> 16;
    return (group === 2 || group === 8) && countPlausible(cursor, 0, encoding, CONVINCING) === CONVINCING;
  });
}

/** Number of plausible elements from a position on, at most `wanted`. Fewer are enough if the bytes end there. */
function countPlausible(cursor: ElementCursor, start: number, encoding: Encoding, wanted: number): number {
  let position = start;
  let lastTag = -1;
  for (let count = 0; count < wanted; count += 1) {
    if (!cursor.readHeader(position, encoding.explicit, encoding.littleEndian)) return count;
    const { tag, length, valueOffset } = cursor;
    if (tag <= lastTag || !isPlausible(cursor, encoding)) return count;
    if (length === UNDEFINED_LENGTH) return wanted;
    if (valueOffset + length > cursor.source.size && count > 0) return count;
    if (valueOffset + length === cursor.source.size) return wanted;
    lastTag = tag;
    position = valueOffset + length;
    // In a file without preamble, the meta information ends before the data set, whose encoding may differ.
    if (tag >>> 16 === 2 && count + 1 >= 2) return wanted;
  }
  return wanted;
}

function isPlausible(cursor: ElementCursor, { explicit, littleEndian }: Encoding): boolean {
  const { tag, vrCode, length, source, valueOffset } = cursor;
  const known = dictionaryVr(tag);
  // A group length has four bytes; without this check, any group would pass.
  if (known === undefined || ((tag & 0xffff) === 0 && length !== 4)) return false;
  if (explicit) return isVrOf(known, vrCode);
  if (length === UNDEFINED_LENGTH) return known === 'SQ' || known.includes('OB');
  // In a large file, the letters of a VR read as a length can be small enough to fit.
  if (isVrOf(known, lettersOfLength(length, littleEndian))) return false;
  return length <= source.size - valueOffset;
}

/** Whether the dictionary has this VR, or one that writers confuse with it. */
function isVrOf(known: string, vrCode: number): boolean {
  if (!isKnownVrCode(vrCode)) return false;
  const vr = vrOfCode(vrCode);
  return (
    vr === 'UN' || known.includes(vr) || (TEXTS.has(known) && TEXTS.has(vr)) || (NUMBERS.has(known) && NUMBERS.has(vr))
  );
}

const TEXTS: ReadonlySet<string> = new Set('AE AS CS LO SH ST LT PN UI DA TM DT DS IS UC UR UT'.split(' '));
const NUMBERS: ReadonlySet<string> = new Set(['US', 'SS', 'UL', 'SL', 'FL', 'FD', 'US or SS']);

/** The first two bytes of a 32-bit length, where explicit syntaxes have the VR. */
function lettersOfLength(length: number, littleEndian: boolean): number {
  return littleEndian ? (length & 0xff) * 0x100 + ((length >>> 8) & 0xff) : length >>> 16;
}
