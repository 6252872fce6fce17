import { ViewerError } from '../../../shared/contract/errors.ts';
import { type MaskedPatient, maskPatient } from '../../bytes/masking/maskElement.ts';
import { findMasker } from '../../bytes/masking/masker.ts';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import type { DataSet } from './dataSet.ts';
import { UNDEFINED_LENGTH } from './elementCursor.ts';
import { findDataSet, type FoundDataSet } from './findDataSet.ts';
import { INFLATE_LIMITS, InflatedSource, type InflateLimits } from './inflatedSource.ts';
import { readElements } from './readElements.ts';
import { type PixelElement, READ_LIMITS, type ReadFilter, type ReadLimits } from './readPlan.ts';
import { FlagCollector, type ReadFlag } from './readFlags.ts';
import * as Tag from './tag.ts';

export type DicomObject = {
  /** File meta information, group 0002; empty if the file has none. */
  readonly meta: DataSet;
  readonly dataSet: DataSet;
  /** As declared in the file; if not declared, the syntax of the encoding that was found. */
  readonly transferSyntaxUid: string;
  /** The encoding that was actually found. */
  readonly explicit: boolean;
  readonly littleEndian: boolean;
  readonly flags: readonly ReadFlag[];
  /** Undefined if there is none, or if `until` stopped before it. */
  readonly pixelData: PixelDataLocation | undefined;
};

export type PixelDataLocation = {
  /** (7FE0,0010) Pixel Data, (7FE0,0008) Float or (7FE0,0009) Double Float Pixel Data. */
  readonly tag: number;
  readonly vr: string;
  /** Position of the value in `source`. If encapsulated, the position of the item with the basic offset table. */
  readonly offset: number;
  /**
   * Number of bytes that exist. If encapsulated: up to and including the sequence delimiter, if it was read, otherwise
   * up to the end of the source. While a deflated source is not inflated to its end, the declared length.
   */
  readonly length: number;
  /** As in the element header; 0xFFFFFFFF if encapsulated. */
  readonly declaredLength: number;
  readonly encapsulated: boolean;
  readonly littleEndian: boolean;
  /** The file, or the inflated bytes of a deflated file. */
  readonly source: ByteSource;
};

export type ReadOptions = {
  /**
   * Stops before the first element with this tag or a higher one. `Tag.FloatPixelData` stops at pixel data of any kind.
   */
  readonly until?: number;
  /** Longer values are not held, but read from the source on request. Default 64 KiB. */
  readonly maxValueBytes?: number;
  readonly filter?: ReadFilter;
  readonly limits?: Partial<ReadLimits>;
  readonly inflateLimits?: InflateLimits;
  /** Default true: a deflated data set is inflated to the end of its pixel data, to determine how much of it exists. */
  readonly measure?: boolean;
  /** Values as stored, even in a masked run. Nothing of them may leave the thread. */
  readonly isOriginal?: boolean;
};

/** Reads an object. Throws `file_read_failed` only if the file is not DICOM; any irregularity is reported as a flag. */
export function readDicom(file: ByteSource, options: ReadOptions = {}): DicomObject {
  const flags = new FlagCollector();
  const found = findDataSet(file, { flags, inflateLimits: options.inflateLimits ?? INFLATE_LIMITS });
  if (found === undefined) throw new ViewerError('file_read_failed', 'this is not a DICOM file');
  return readFound(found, flags, options).object;
}

/** Reads the data set located by `findDataSet`. */
export function readFound(
  found: FoundDataSet,
  flags: FlagCollector,
  { until, filter, limits, maxValueBytes = 64 * 1024, measure = true, isOriginal = false }: ReadOptions,
): { object: DicomObject; elementCount: number } {
  const { meta, source, position, transferSyntaxUid, encoding } = found;
  const { explicit, littleEndian } = encoding;
  const { dataSet, elementCount, pixelData } = readElements({
    source,
    position,
    explicit,
    littleEndian,
    flags,
    maxValueBytes,
    measure,
    isOriginal,
    patient: isOriginal ? undefined : findPatient(found),
    limits: boundLimits({ ...READ_LIMITS, ...limits }, source),
    ...(until !== undefined && { until }),
    ...(filter !== undefined && { filter }),
  });
  if (source instanceof InflatedSource && source.problem !== undefined) flags.add(source.problem, 0);
  const location = pixelData === undefined ? undefined : toLocation(pixelData, source, littleEndian);
  const object = {
    meta,
    dataSet,
    transferSyntaxUid,
    explicit,
    littleEndian,
    flags: flags.toArray(),
    pixelData: location,
  };
  return { object, elementCount };
}

const PATIENT_TAGS: readonly number[] = [Tag.PatientID, Tag.PatientName];
const MOST_PATIENT_BYTES = 1024;

/** The patient of an object in a masked run. Dates come before the patient, so this is read first. */
function findPatient({ source, position, encoding }: FoundDataSet): MaskedPatient | undefined {
  const masker = findMasker();
  if (masker === undefined) return undefined;
  const { dataSet } = readElements({
    source,
    position,
    explicit: encoding.explicit,
    littleEndian: encoding.littleEndian,
    flags: new FlagCollector(),
    limits: boundLimits(READ_LIMITS, source),
    maxValueBytes: MOST_PATIENT_BYTES,
    measure: false,
    until: Tag.PatientID + 1,
    filter: { element: (depth, tag) => depth === 0 && PATIENT_TAGS.includes(tag), item: () => false },
    isOriginal: true,
  });
  const [id, name] = PATIENT_TAGS.map((tag) => dataSet.bytes(tag, MOST_PATIENT_BYTES));
  return maskPatient(masker, id, name);
}

/** Number of elements that a deflated data set may have regardless of its size. */
const FEW_ELEMENTS = 50_000;

/**
 * Empty items and elements deflate to a thousandth of their size, but those that real writers produce take at least one
 * byte each.
 */
function boundLimits(limits: ReadLimits, source: ByteSource): ReadLimits {
  if (!(source instanceof InflatedSource)) return limits;
  return { ...limits, maxElements: Math.min(limits.maxElements, Math.max(FEW_ELEMENTS, source.deflatedSize)) };
}

export function toLocation(element: PixelElement, source: ByteSource, littleEndian: boolean): PixelDataLocation {
  const { tag, vr, offset, length, declaredLength } = element;
  const encapsulated = declaredLength === UNDEFINED_LENGTH && tag === Tag.PixelData;
  return { tag, vr, offset, length, declaredLength, encapsulated, littleEndian, source };
}
