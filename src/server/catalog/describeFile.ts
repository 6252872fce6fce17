import { basename } from 'node:path';
import type { Attributes } from '../dicom/dataSet.ts';
import { firstFrameOf } from '../dicom/eachFrame.ts';
import { findFunctionalGroup } from '../dicom/functionalGroups.ts';
import type { HeaderScan } from '../dicom/headerScanner.ts';
import { MOST_VALUES } from '../dicom/mostValues.ts';
import type { PixelDataLocation } from '../dicom/readDataSet.ts';
import * as Tag from '../dicom/tag.ts';
import { isVideoSyntax } from '../dicom/transferSyntax.ts';
import { sopClassName, transferSyntaxName } from '../dicom/uids.ts';
import { PIXEL_SPACING_TAGS, readPixelSpacing } from '../geometry/pixelSpacing.ts';
import { countNativeFrames, mostFrames } from '../pixels/frameLayout.ts';
import { describePixels, PIXEL_DESCRIPTION_TAGS, type PixelDescription } from '../pixels/imagePixel.ts';
import { assessSupport } from '../pixels/support.ts';
import { classifyObject } from './classifyObject.ts';
import { countEncapsulatedFrames } from './countFrames.ts';
import type { FileDescription } from './dicomFile.ts';
import { PLACEMENT_TAGS, readPlacement } from './placement.ts';
import type { OpenSource } from '../origins/origins.ts';

/** Top-level elements that the scan keeps of each file. */
export const SCANNED_TAGS: readonly number[] = [
  Tag.SOPClassUID,
  Tag.SOPInstanceUID,
  Tag.StudyDate,
  Tag.Modality,
  Tag.StudyDescription,
  Tag.SeriesDescription,
  Tag.PatientName,
  Tag.PatientID,
  Tag.StudyInstanceUID,
  Tag.SeriesInstanceUID,
  Tag.SeriesNumber,
  Tag.InstanceNumber,
  Tag.FrameOfReferenceUID,
  Tag.BurnedInAnnotation,
  Tag.WindowCenter,
  Tag.WindowWidth,
  ...PIXEL_DESCRIPTION_TAGS,
  ...PIXEL_SPACING_TAGS,
  ...PLACEMENT_TAGS,
  Tag.SharedFunctionalGroupsSequence,
  Tag.PerFrameFunctionalGroupsSequence,
];

/** A header that was read, with the file that it is of. */
export type ScannedFile = {
  readonly path: string;
  readonly opened: OpenSource;
  readonly scan: Extract<HeaderScan, { kind: 'dicom' }>;
};

export function describeFile({ path, opened, scan }: ScannedFile): FileDescription {
  const { attributes: header, meta, transferSyntaxUid, pixelData } = scan;
  const text = (tag: number) => header.string(tag) ?? '';
  const sopClassUid = header.string(Tag.SOPClassUID) ?? meta.string(Tag.MediaStorageSOPClassUID) ?? '';
  const description = describePixels(header, transferSyntaxUid, pixelData);
  const hasPixels = pixelData !== undefined && pixelData.length > 0;
  const most = mostFrames(opened.size);
  const frameCount = hasPixels ? Math.min(countFrames(description, pixelData), most) : 0;
  const support = assessSupport(description, hasPixels ? frameCount : undefined);
  const spacing = readPixelSpacing(firstFrameOf(header));
  const objectKind = classifyObject({
    sopClassUid,
    transferSyntaxUid,
    hasPixels,
    hasFunctionalGroups: hasGroups(header),
  });
  const isSlide = objectKind === 'whole_slide_microscopy';
  const patientId = text(Tag.PatientID);
  const modality = text(Tag.Modality);
  const studyDate = text(Tag.StudyDate);
  return {
    path,
    label: [patientId, modality, studyDate].filter((part) => part !== '').join(' · ') || basename(path),
    patientId,
    patientName: text(Tag.PatientName),
    studyInstanceUid: text(Tag.StudyInstanceUID),
    studyDate,
    studyDescription: text(Tag.StudyDescription),
    seriesInstanceUid: text(Tag.SeriesInstanceUID),
    seriesNumber: text(Tag.SeriesNumber),
    seriesDescription: text(Tag.SeriesDescription),
    modality,
    instanceNumber: text(Tag.InstanceNumber),
    sopInstanceUid: header.string(Tag.SOPInstanceUID) ?? meta.string(Tag.MediaStorageSOPInstanceUID) ?? '',
    sopClassUid,
    sopClassName: sopClassName(sopClassUid),
    objectKind,
    supportState: support.state,
    supportReason: support.reason,
    hasPixels,
    burnedInAnnotation: text(Tag.BurnedInAnnotation).toUpperCase() === 'YES',
    frameCount,
    declaredFrameCount: hasPixels ? description.numberOfFrames : undefined,
    rows: description.rows ?? 0,
    columns: description.columns ?? 0,
    samplesPerPixel: description.samplesPerPixel ?? 0,
    bitsAllocated: description.bitsAllocated ?? 0,
    bitsStored: description.bitsStored ?? 0,
    photometricInterpretation: description.photometricInterpretation ?? '',
    pixelAspectRatio: spacing.aspectRatio,
    pixelSpacingMm: spacing.spacingMm,
    pixelSpacingSource: spacing.source,
    transferSyntaxUid,
    transferSyntaxName: transferSyntaxName(transferSyntaxUid) ?? transferSyntaxUid,
    frameOfReferenceUid: header.string(Tag.FrameOfReferenceUID),
    defaultWindow: findDefaultWindow(header),
    fileBytes: opened.size,
    placement: hasPixels ? readPlacement(header, { frameCount, isSlide }) : undefined,
    source: opened.known,
  };
}

function countFrames(description: PixelDescription, pixelData: PixelDataLocation): number {
  const { rows, columns, samplesPerPixel, bitsAllocated, numberOfFrames = 1 } = description;
  if (pixelData.encapsulated) {
    // A video is one stream, however many pictures it has; but each takes a byte of it.
    if (isVideoSyntax(description.transferSyntaxUid)) return Math.min(numberOfFrames, pixelData.length);
    return countEncapsulatedFrames(pixelData.source, pixelData.offset, numberOfFrames);
  }
  // Without the attributes there is no arithmetic; the missing one is what the file is refused for.
  if (!rows || !columns || !samplesPerPixel || !bitsAllocated) return Math.min(numberOfFrames, pixelData.length);
  const { photometricInterpretation = '' } = description;
  const layout = { rows, columns, samplesPerPixel, bitsAllocated, photometricInterpretation, numberOfFrames };
  return countNativeFrames(layout, pixelData.length);
}

function hasGroups(header: Attributes): boolean {
  return header.has(Tag.SharedFunctionalGroupsSequence) || header.has(Tag.PerFrameFunctionalGroupsSequence);
}

/** The first window that is one, of the first frame. */
function findDefaultWindow(header: Attributes): FileDescription['defaultWindow'] {
  const voi = findFunctionalGroup(header, 0, Tag.FrameVOILUTSequence) ?? header;
  const widths = voi.numbers(Tag.WindowWidth, MOST_VALUES.windows);
  for (const [number, center] of voi.numbers(Tag.WindowCenter, MOST_VALUES.windows).entries()) {
    const width = widths[number] ?? 0;
    if (Number.isFinite(center) && Number.isFinite(width) && width > 0) return { center, width };
  }
  return undefined;
}
