import { type MaskedPatient, maskPatient } from '../../bytes/masking/maskElement.ts';
import { createMasker, type Masker } from '../../bytes/masking/masker.ts';
import { createReadWindow } from '../../bytes/origins/byteSource.ts';
import { findRedactions, type OpenSource, openSame, requireUnchanged } from '../../bytes/origins/origins.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { findDataSet } from '../../standard/dicom/findDataSet.ts';
import { INFLATE_LIMITS, InflatedSource } from '../../standard/dicom/inflatedSource.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import { FlagCollector } from '../../standard/dicom/readFlags.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import {
  type Encoding,
  encodingOf,
  ExplicitVrBigEndian,
  ExplicitVrLittleEndian,
  ImplicitVrLittleEndian,
  isJpipSyntax,
  isNativeSyntax,
  isVideoSyntax,
} from '../../standard/dicom/transferSyntax.ts';
import { isRegisteredUid } from '../../standard/dicom/uids.ts';
import { writeDicom } from '../../standard/dicom/writeDicom.ts';
import { describePixels, PIXEL_DESCRIPTION_TAGS, showsSlideLabel } from '../pixels/imagePixel.ts';
import { addStatements, addText, addWord } from './addedElements.ts';
import {
  type CopyName,
  type CopyPiece,
  type CopyPlan,
  type CopyRefusal,
  type DecodedFrames,
  LONGEST_COPIED_HEADER,
  type PlanCopyInput,
} from './copyTasks.ts';
import { NotWhole } from './notWhole.ts';
import { PieceList } from './pieceList.ts';
import { type AddedElement, rewriteDataSet } from './rewriteDataSet.ts';
import { fillBlanks } from './streamComments.ts';

/** Parts of the source up to this length together are read at once. */
const AT_ONCE = 1024 * 1024;
const MOST_TEXT = 1024;
/** An element has a length of 32 bits, and 0xFFFFFFFF is none. */
const LONGEST_VALUE = 0xfffffffe;

/** Says what a copy of a file consists of. Implements `planCopyTask`. */
export function planCopy(input: PlanCopyInput, context: TaskContext): CopyPlan {
  const opened = openSame(input.source, createReadWindow());
  try {
    const plan = makePlan(opened, input, context);
    requireUnchanged(opened);
    return plan;
  } catch (error) {
    if (error instanceof NotWhole) return refuse('not_whole', error.message);
    if (error instanceof RangeError) return refuse('too_long', error.message);
    throw error;
  } finally {
    opened.close();
  }
}

function refuse(refusal: CopyRefusal, detail = ''): CopyPlan {
  return { kind: 'refused', refusal, detail };
}

const OTHER_PATIENT_IDS = 0x00101000;
const OTHER_PATIENT_NAMES = 0x00101001;

const NEEDED: ReadonlySet<number> = new Set([
  Tag.DirectoryRecordSequence,
  ...PIXEL_DESCRIPTION_TAGS,
  Tag.SOPClassUID,
  Tag.SOPInstanceUID,
  Tag.PatientID,
  Tag.PatientName,
  Tag.StudyInstanceUID,
  Tag.SeriesInstanceUID,
  Tag.SeriesNumber,
  OTHER_PATIENT_IDS,
  OTHER_PATIENT_NAMES,
  Tag.EncapsulatedDocument,
]);

/** What is needed of a header. Values as stored: nothing of them but pseudonyms leaves the thread. */
function readHeader(opened: OpenSource) {
  return readDicom(opened, {
    until: Tag.FloatPixelData,
    filter: {
      element: (depth, tag) => depth === 0 && (NEEDED.has(tag) || isOverlay(tag)),
      item: () => false,
    },
    maxValueBytes: MOST_TEXT,
    isOriginal: true,
  });
}

function makePlan(
  opened: OpenSource,
  { source, profile, frames }: PlanCopyInput,
  { transfer, throwIfCancelled }: TaskContext,
): CopyPlan {
  const flags = new FlagCollector();
  const found = findDataSet(opened, { flags, inflateLimits: INFLATE_LIMITS });
  if (found === undefined) return refuse('not_whole', 'it is no DICOM file');
  const { dataSet, pixelData, transferSyntaxUid } = readHeader(opened);
  if (isVideoSyntax(transferSyntaxUid)) return refuse('video');
  if (dataSet.has(Tag.DirectoryRecordSequence)) return refuse('directory');
  if (isJpipSyntax(transferSyntaxUid)) return refuse('no_pixels');
  if ((dataSet.element(Tag.EncapsulatedDocument)?.length ?? 0) > 0) return refuse('document');
  if (pixelData !== undefined && showsSlideLabel(dataSet)) return refuse('slide_label');
  const { encoding } = found;
  const isInflated = found.source instanceof InflatedSource;
  const isWrong = flags.has('wrong_transfer_syntax');
  if (isWrong && !isNativeSyntax(transferSyntaxUid) && !isInflated) {
    return refuse('not_whole', 'it is not encoded as its transfer syntax says');
  }
  const redactions = findRedactions(source);
  const isDecoded = pixelData !== undefined && (redactions !== undefined || hasOverlayInPixels(dataSet));
  if (isDecoded && frames === undefined) {
    const { numberOfFrames = 1 } = describePixels(dataSet, transferSyntaxUid, pixelData);
    return { kind: 'decode', frameCount: numberOfFrames, littleEndian: encoding.littleEndian };
  }
  const frameBytes = isDecoded && frames ? frames.count * frames.frameBytes : undefined;
  if (frameBytes !== undefined && frameBytes > LONGEST_VALUE)
    return refuse('too_long', 'its pixels are too long for a file without compression');

  const masker = createMasker(profile.key);
  const patient = maskPatient(
    masker,
    dataSet.bytes(Tag.PatientID, MOST_TEXT),
    dataSet.bytes(Tag.PatientName, MOST_TEXT),
  );
  const out = new PieceList(encoding.littleEndian, LONGEST_COPIED_HEADER);
  const added: AddedElement[] = [...addStatements(profile)];
  if (isDecoded && frames) added.push(...describeFrames(frames, dataSet, encoding));
  rewriteDataSet({
    source: found.source,
    position: found.position,
    explicit: encoding.explicit,
    littleEndian: encoding.littleEndian,
    isInflated,
    masker,
    patient,
    options: profile.options,
    ownWords: listOwnWords(dataSet),
    added: added.toSorted((a, b) => a.tag - b.tag),
    frameBytes,
    out,
    throwIfCancelled,
  });
  if (found.source instanceof InflatedSource && found.source.problem !== undefined) {
    return refuse('not_whole', 'its deflated data set is damaged, or too long');
  }
  const syntax = syntaxOfCopy(transferSyntaxUid, { encoding, isInflated, isDecoded });
  const uidOf = (tag: number) => maskUid(masker, dataSet.string(tag) ?? '', profile.options.retainsUids);
  const meta = writeDicom(
    {
      MediaStorageSOPClassUID: toUidBytes(dataSet.string(Tag.SOPClassUID) ?? ''),
      MediaStorageSOPInstanceUID: toUidBytes(uidOf(Tag.SOPInstanceUID)),
    },
    { transferSyntaxUid: syntax },
  );
  let atOnce = 0;
  const pieces = [{ kind: 'bytes' as const, bytes: meta }, ...out.finish()].map((piece): CopyPiece => {
    if (piece.kind !== 'stored' || atOnce + piece.length > AT_ONCE) return piece;
    atOnce += piece.length;
    const from = piece.isInflated ? found.source : opened;
    const bytes = from.read(piece.offset, piece.length).slice();
    fillBlanks(bytes, piece.offset, piece.blanks);
    return { kind: 'bytes', bytes: transfer(bytes) };
  });
  return { kind: 'copy', name: nameOf(dataSet, masker, patient), pieces };
}

function isOverlay(tag: number): boolean {
  return tag >= 0x60000000 && tag <= 0x601effff;
}

/** Old overlays are bits of the stored words that are no part of the samples. PS3.3 C.9.2, retired. */
function hasOverlayInPixels(dataSet: DataSet): boolean {
  for (const { tag } of dataSet) {
    const group = tag - (tag % 0x10000);
    const isBits = isOverlay(tag) && tag - group === Tag.OverlayBitsAllocated % 0x10000;
    const hasData = dataSet.has(group + (Tag.OverlayData % 0x10000));
    if (isBits && !hasData && (dataSet.number(tag) ?? 1) !== 1) return true;
  }
  return false;
}

type SyntaxChoice = { readonly encoding: Encoding; readonly isInflated: boolean; readonly isDecoded: boolean };

/** That of the source, unless the copy is uncompressed or is not what the source claims to be. */
function syntaxOfCopy(declared: string, { encoding, isInflated, isDecoded }: SyntaxChoice): string {
  const { explicit, littleEndian } = encodingOf(declared);
  const isSame = explicit === encoding.explicit && littleEndian === encoding.littleEndian;
  if (isSame && !isInflated && (!isDecoded || isNativeSyntax(declared))) return declared;
  if (!encoding.littleEndian) return ExplicitVrBigEndian;
  return encoding.explicit ? ExplicitVrLittleEndian : ImplicitVrLittleEndian;
}

/** Samples of decoded frames are color-by-pixel, and may be in another color space. */
function describeFrames(frames: DecodedFrames, dataSet: DataSet, { littleEndian }: Encoding): readonly AddedElement[] {
  const { samplesPerPixel, bitsAllocated, photometricInterpretation } = frames;
  const word = (tag: number, value: number) => addWord(tag, value, littleEndian);
  return [
    ...(dataSet.string(Tag.PhotometricInterpretation) === photometricInterpretation
      ? []
      : [addText(Tag.PhotometricInterpretation, 'CS', photometricInterpretation)]),
    ...(samplesPerPixel > 1 ? [word(Tag.PlanarConfiguration, 0)] : []),
    ...(dataSet.number(Tag.BitsAllocated) === bitsAllocated ? [] : [word(Tag.BitsAllocated, bitsAllocated)]),
  ];
}

function maskUid(masker: Masker, uid: string, isRetained: boolean): string {
  return uid === '' || isRetained || isRegisteredUid(uid) ? uid : masker.uid(uid);
}

/** Unchecked, because files have others than the standard allows. */
function toUidBytes(uid: string): Uint8Array | undefined {
  return uid === '' ? undefined : Buffer.from(uid, 'latin1');
}

const OWN = [Tag.PatientName, Tag.PatientID, OTHER_PATIENT_NAMES, OTHER_PATIENT_IDS];
const MOST_OWN = 8;

/** Parts of the name and the ID of the patient, which descriptions may have. */
function listOwnWords(dataSet: DataSet): ReadonlySet<string> {
  const texts = OWN.flatMap((tag) => dataSet.strings(tag, MOST_OWN));
  return new Set(texts.flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u)).filter((word) => word !== ''));
}

const FOLDER_DIGITS = 8;
const FILE_DIGITS = 16;
const LONGEST_NUMBER = 8;

/** Pseudonyms that are the same in every run with the same key, and the number of the series. */
function nameOf(dataSet: DataSet, masker: Masker, patient: MaskedPatient): CopyName {
  const token = (what: string, tag: number, digits: number) =>
    masker.token(`${what} ${dataSet.string(tag) ?? ''}`, digits);
  const number = dataSet.string(Tag.SeriesNumber)?.trim() ?? '';
  const isPlain = /^\d+$/.test(number) && number.length <= LONGEST_NUMBER;
  const series = token('series', Tag.SeriesInstanceUID, FOLDER_DIGITS);
  return {
    patient: patient.token,
    study: token('study', Tag.StudyInstanceUID, FOLDER_DIGITS),
    series: isPlain ? `${number}-${series}` : series,
    instance: token('instance', Tag.SOPInstanceUID, FILE_DIGITS),
  };
}
