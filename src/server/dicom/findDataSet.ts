import type { ByteSource } from '../origins/byteSource.ts';
import { bufferSource } from '../origins/byteSource.ts';
import type { DataSet } from './dataSet.ts';
import { guessEncoding, looksLikeDataSet } from './guessEncoding.ts';
import { InflatedSource, type InflateLimits } from './inflatedSource.ts';
import { readElements } from './readElements.ts';
import { READ_LIMITS } from './readPlan.ts';
import type { FlagCollector } from './readFlags.ts';
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
