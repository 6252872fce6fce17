import { isMasked } from '../../bytes/masking/masker.ts';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import type { Attributes } from './dataSet.ts';
import { isKnownVrCode } from './vrCodes.ts';
import { findDataSet } from './findDataSet.ts';
import { HeaderSlots } from './headerSlots.ts';
import { INFLATE_LIMITS } from './inflatedSource.ts';
import type { PathPlan } from './pathPlan.ts';
import { readPlainElements } from './plainElements.ts';
import { type PixelDataLocation, readFound, toLocation } from './readDataSet.ts';
import type { ReadFilter } from './readPlan.ts';
import { FlagCollector, type ReadFlag } from './readFlags.ts';
import * as Tag from './tag.ts';
import { encodingOf } from './transferSyntax.ts';

export type HeaderScan =
  | {
      readonly kind: 'dicom';
      /** The wanted elements; for a sequence, its first item. Valid until the next scan. */
      readonly attributes: Attributes;
      /** SOP class, SOP instance and transfer syntax from the file meta information. Valid until the next scan. */
      readonly meta: Attributes;
      readonly transferSyntaxUid: string;
      readonly pixelData: PixelDataLocation | undefined;
      readonly flags: readonly ReadFlag[];
    }
  | { readonly kind: 'failed'; readonly reason: 'not_dicom' | 'dicom_parse_failed'; readonly message: string };

/** Reads the wanted elements of one file after another, and stops at the pixel data. */
export interface HeaderScanner {
  /** Throws only errors of the source. */
  scan(source: ByteSource): HeaderScan;
}

// The byte limit allows millions of headers, because the functional groups of a slide may have undefined lengths.
const LIMITS = { maxElements: 50_000, maxBytes: 64 * 1024 * 1024 };
const META_START = 132;
/** Size of (0002,0000), which is not included in its own value. */
const META_LENGTH_ELEMENT = 12;
const NO_FLAGS: readonly ReadFlag[] = [];
const META_TAGS = [
  Tag.FileMetaInformationGroupLength,
  Tag.MediaStorageSOPClassUID,
  Tag.MediaStorageSOPInstanceUID,
  Tag.TransferSyntaxUID,
];

export type HeaderScannerOptions = {
  /** Values as stored, even in a masked run. Nothing of them may leave the thread. */
  readonly isOriginal?: boolean;
  /** What is read beside the wanted elements. */
  readonly plan?: PathPlan | undefined;
};

/**
 * `wanted` are top-level elements of the data set. Files that conform to the standard are read in a short way, all others by
 * `createFullScanner`; both give the same results.
 */
export function createHeaderScanner(wanted: readonly number[], options: HeaderScannerOptions = {}): HeaderScanner {
  const { isOriginal = false, plan } = options;
  const full = createFullScanner(wanted, options);
  if (plan !== undefined && (plan.tags === undefined || plan.isBeyondPixels)) return full;
  const tags = tagsToScan(wanted, plan);
  const filter = headerFilter(tags, plan);
  const slots = new HeaderSlots(tags, isOriginal);
  const metaSlots = new HeaderSlots([...META_TAGS, ...(plan?.metaTags ?? [])], isOriginal);

  /**
   * Scans a file that conforms to the standard, in one of the common syntaxes; returns undefined for any other file.
   */
  const scanPlain = (source: ByteSource): HeaderScan | undefined => {
    const prefix = source.read(128, 6);
    if (!isDicm(prefix) || prefix[4] !== 2 || prefix[5] !== 0) return undefined;
    metaSlots.begin(source);
    const meta = readPlainElements(source, META_START, { explicit: true, slots: metaSlots, group: 2, filter });
    metaSlots.finish();
    const transferSyntaxUid = metaSlots.string(Tag.TransferSyntaxUID);
    if (meta === undefined || transferSyntaxUid === undefined) return undefined;
    const groupLength = metaSlots.number(Tag.FileMetaInformationGroupLength) ?? 0;
    if (META_START + META_LENGTH_ELEMENT + groupLength !== meta.position) return undefined;
    const { explicit, littleEndian, deflated } = encodingOf(transferSyntaxUid);
    if (deflated || !littleEndian || hasVr(source, meta.position) !== explicit) return undefined;

    slots.begin(source);
    const read = readPlainElements(source, meta.position, { explicit, slots, filter });
    if (read === undefined || read.elementCount === 0) return undefined;
    slots.finish();
    return {
      kind: 'dicom',
      attributes: slots,
      meta: metaSlots,
      transferSyntaxUid,
      pixelData: read.pixelData && toLocation(read.pixelData, source, littleEndian),
      flags: NO_FLAGS,
    };
  };

  return {
    scan(source) {
      const scanned = scanPlain(source);
      if (scanned !== undefined) return scanned;
      slots.forget();
      metaSlots.forget();
      return full.scan(source);
    },
  };
}

/** Reads every file with the reader that tolerates what deviates from the standard. */
export function createFullScanner(wanted: readonly number[], options: HeaderScannerOptions = {}): HeaderScanner {
  const { isOriginal = false, plan } = options;
  const filter = headerFilter(tagsToScan(wanted, plan), plan);
  const scan = (source: ByteSource): HeaderScan => {
    const flags = new FlagCollector();
    const found = findDataSet(source, { flags, inflateLimits: INFLATE_LIMITS });
    if (found === undefined)
      return { kind: 'failed', reason: 'not_dicom', message: 'no DICM prefix, no data elements' };
    const { object, elementCount } = readFound(found, flags, {
      ...(plan?.isBeyondPixels !== true && { until: Tag.FloatPixelData }),
      filter,
      limits: LIMITS,
      measure: false,
      isOriginal,
    });
    const { dataSet, meta, transferSyntaxUid, pixelData } = object;
    const broken = meta.size === 0 || flags.has('truncated');
    // Pixel data alone is enough: it is not counted, because elements are counted up to it.
    const isEmpty = elementCount === 0 && pixelData === undefined;
    if (isEmpty || (dataSet.size === 0 && !found.plausible && broken)) {
      const message = isEmpty ? 'no data elements' : `none of ${elementCount} data elements is valid`;
      return { kind: 'failed', reason: 'dicom_parse_failed', message };
    }
    return { kind: 'dicom', attributes: dataSet, meta, transferSyntaxUid, pixelData, flags: object.flags };
  };

  return { scan };
}

function tagsToScan(wanted: readonly number[], plan: PathPlan | undefined): ReadonlySet<number> {
  // The dates of a masked run depend on the patient.
  const patient = isMasked() ? [Tag.PatientID, Tag.PatientName] : [];
  return new Set([Tag.SpecificCharacterSet, Tag.PixelRepresentation, ...patient, ...wanted, ...(plan?.tags ?? [])]);
}

function headerFilter(tags: ReadonlySet<number>, plan: PathPlan | undefined): ReadFilter {
  if (plan === undefined) {
    return {
      element: (depth, tag) => depth > 0 || tags.has(tag),
      item: (depth, index) => depth > 0 || index === 0,
    };
  }
  return {
    element: (depth, tag) => (depth === 0 && tags.has(tag)) || plan.keepsElement(depth, tag),
    item: (depth, index) => plan.keepsItem(depth, index),
  };
}

function isDicm(bytes: Uint8Array): boolean {
  return bytes[0] === 0x44 && bytes[1] === 0x49 && bytes[2] === 0x43 && bytes[3] === 0x4d;
}

/** Whether the element at a position has a VR after its tag. */
function hasVr(source: ByteSource, position: number): boolean {
  const bytes = source.read(position, 6);
  return isKnownVrCode((bytes[4] ?? 0) * 0x100 + (bytes[5] ?? 0));
}
