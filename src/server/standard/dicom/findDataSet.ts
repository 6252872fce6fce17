import { bufferSource, type ByteSource } from '../../bytes/origins/byteSource.ts';
import type { DataSet } from './dataSet.ts';
import { dictionaryVr } from './dictionary.ts';
import { ElementCursor, UNDEFINED_LENGTH } from './elementCursor.ts';
import { isKnownVrCode, vrOfCode } from './vrCodes.ts';
import { InflatedSource, type InflateLimits } from './inflatedSource.ts';
import { readElements } from './readElements.ts';
import { FlagCollector } from './readFlags.ts';
import { READ_LIMITS } from './readPlan.ts';
import * as Tag from './tag.ts';
import {
  type Encoding,
  encodingOf,
  ExplicitVrBigEndian,
  ExplicitVrLittleEndian,
  ImplicitVrLittleEndian,
} from './transferSyntax.ts';

/** Where the data set of a file begins, and how it is encoded. */
export type FoundDataSet = {
  readonly meta: DataSet;
  /** The file, or the inflated bytes of a deflated file. */
  readonly source: ByteSource;
  readonly position: number;
  /** As declared in the file; if not declared, the syntax of the encoding that was found. */
  readonly transferSyntaxUid: string;
  readonly encoding: Encoding;
  /** Whether the first element is plausible in some encoding. */
  readonly plausible: boolean;
};

const META_ENCODING = { explicit: true, littleEndian: true, deflated: false };

/** Undefined if the file is not DICOM. */
export function findDataSet(
  file: ByteSource,
  { flags, inflateLimits }: { flags: FlagCollector; inflateLimits: InflateLimits },
): FoundDataSet | undefined {
  const start = findStart(file, flags);
  if (start === undefined) return undefined;
  const { meta, position } = readMeta(file, start, flags);
  if (meta.size === 0) flags.add('missing_meta', start);
  const declared = meta.string(Tag.TransferSyntaxUID);
  const claimed = declared === undefined ? undefined : encodingOf(declared);
  const source = claimed?.deflated === true ? inflate(file, position, inflateLimits) : file;
  const at = source === file ? position : 0;

  const guess = guessEncoding(source, at, claimed);
  const plausible = guess !== undefined;
  if (claimed === undefined) {
    flags.add('guessed_transfer_syntax', at);
    const encoding = guess ?? META_ENCODING;
    return { meta, source, position: at, transferSyntaxUid: syntaxOf(encoding), encoding, plausible };
  }
  const wrong = plausible && (guess.explicit !== claimed.explicit || guess.littleEndian !== claimed.littleEndian);
  if (wrong) flags.add('wrong_transfer_syntax', at);
  const encoding = wrong ? { ...guess, deflated: source !== file } : claimed;
  return { meta, source, position: at, transferSyntaxUid: declared ?? syntaxOf(encoding), encoding, plausible };
}

/** Whether a file begins as DICOM does, with or without a preamble. */
export function isDicom(file: ByteSource): boolean {
  return findStart(file, new FlagCollector()) !== undefined;
}

/** The position of the meta information, or of the data set in a file without it. */
function findStart(file: ByteSource, flags: FlagCollector): number | undefined {
  // In a data set without a preamble, the four letters can occur here by chance.
  if (hasPrefix(file, 128) && (isMeta(file, 132) || !looksLikeDataSet(file))) return 132;
  if (hasPrefix(file, 0)) {
    flags.add('missing_preamble', 0);
    return 4;
  }
  if (!looksLikeDataSet(file)) return undefined;
  flags.add('missing_preamble', 0);
  return 0;
}

function hasPrefix(file: ByteSource, position: number): boolean {
  const bytes = file.read(position, 4);
  return bytes[0] === 0x44 && bytes[1] === 0x49 && bytes[2] === 0x43 && bytes[3] === 0x4d;
}

/** Whether group 0002 follows, in either byte order. */
function isMeta(file: ByteSource, position: number): boolean {
  const [first, second] = file.read(position, 2);
  return (first === 2 && second === 0) || (first === 0 && second === 2);
}

/** Many writers get the group length wrong, so the meta information is read up to the end of group 0002. */
function readMeta(file: ByteSource, start: number, flags: FlagCollector): { meta: DataSet; position: number } {
  const first = file.read(start, 2);
  const littleEndian = !(first[0] === 0 && first[1] === 2);
  const { dataSet, position } = readElements({
    source: file,
    position: start,
    explicit: true,
    littleEndian,
    group: 2,
    flags,
    limits: READ_LIMITS,
    maxValueBytes: 64 * 1024,
    measure: true,
  });
  const length = dataSet.number(Tag.FileMetaInformationGroupLength);
  // The element itself takes twelve bytes, which are not counted.
  if (dataSet.size > 0 && length === undefined) flags.add('missing_meta_length', start);
  else if (length !== undefined && start + 12 + length !== position) flags.add('wrong_meta_length', start);
  return { meta: dataSet, position };
}

function inflate(file: ByteSource, position: number, limits: InflateLimits): ByteSource {
  const inflated = new InflatedSource(file, position, limits);
  // The syntax may say deflated although the data set is not; then the bytes themselves are plausible.
  if (guessEncoding(inflated, 0) !== undefined) return inflated;
  return guessEncoding(bufferSource(file.read(position, 4096).slice()), 0) === undefined ? inflated : file;
}

function syntaxOf({ explicit, littleEndian }: Encoding): string {
  if (!littleEndian) return ExplicitVrBigEndian;
  return explicit ? ExplicitVrLittleEndian : ImplicitVrLittleEndian;
}

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
function guessEncoding(source: ByteSource, position: number, claimed?: Encoding): Encoding | undefined {
  const cursor = new ElementCursor(source);
  const candidates = claimed === undefined ? CANDIDATES : [claimed, ...CANDIDATES];
  return candidates.find((encoding) => countPlausible(cursor, position, encoding, 1) === 1);
}

/**
 * Whether a file without preamble begins with the elements of a data set or of meta information. Conservative: text,
 * images and archives must never pass.
 */
function looksLikeDataSet(source: ByteSource): boolean {
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
