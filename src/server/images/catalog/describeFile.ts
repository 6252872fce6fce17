import { basename } from 'node:path';
import { type FileFieldName, type FileFields, listFields } from '../../../shared/contract/fileFields.ts';
import type { Attributes } from '../../standard/dicom/dataSet.ts';
import { firstFrameOf, findFunctionalGroup } from '../../standard/dicom/eachFrame.ts';
import type { HeaderScan } from '../../standard/dicom/headerScanner.ts';
import { MOST_VALUES } from '../../standard/dicom/mostValues.ts';
import type { PixelDataLocation } from '../../standard/dicom/readDataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { isVideoSyntax } from '../../standard/dicom/transferSyntax.ts';
import { sopClassName, transferSyntaxName } from '../../standard/dicom/uids.ts';
import { PIXEL_SPACING_TAGS, readPixelSpacing } from '../../standard/geometry/pixelSpacing.ts';
import { countNativeFrames, mostFrames } from '../pixels/frameLayout.ts';
import { describePixels, PIXEL_DESCRIPTION_TAGS, type PixelDescription } from '../pixels/imagePixel.ts';
import { assessSupport, type Support } from '../pixels/support.ts';
import { classifyObject } from './classifyObject.ts';
import { CONTENT_TITLE_TAGS, findShortTitle } from './contentTitle.ts';
import { countEncapsulatedFrames } from './countFrames.ts';
import type { FileDescription } from './dicomFile.ts';
import { ELEMENT_FIELDS, findEmptyElements } from './emptyElements.ts';
import { PLACEMENT_TAGS, readPlacement } from './placement.ts';
import type { OpenSource } from '../../bytes/origins/origins.ts';

/** Fields that hold the text of one element. */
type ElementFieldName = {
  [Name in FileFieldName]: FileFields[Name] extends { readonly element: string } ? Name : never;
}[FileFieldName];

/** An optional text is undefined if it is absent. */
const ABSENT: Readonly<Partial<Record<FileFieldName, string>>> = Object.fromEntries(
  listFields().flatMap(({ name, isOptional }) => (isOptional ? [] : [[name, '']])),
);

function readElementFields(header: Attributes): Pick<FileDescription, ElementFieldName> {
  const texts: Partial<Record<FileFieldName, string | undefined>> = {};
  for (const { name, tag } of ELEMENT_FIELDS) texts[name] = header.string(tag) ?? ABSENT[name];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has a text for each of them
  return texts as Pick<FileDescription, ElementFieldName>;
}

/** Top-level elements that the scan keeps from each file. */
export const SCANNED_TAGS: readonly number[] = [
  ...ELEMENT_FIELDS.map(({ tag }) => tag),
  Tag.SOPClassUID,
  Tag.SOPInstanceUID,
  Tag.BurnedInAnnotation,
  Tag.WindowCenter,
  Tag.WindowWidth,
  ...PIXEL_DESCRIPTION_TAGS,
  ...PIXEL_SPACING_TAGS,
  ...PLACEMENT_TAGS,
  ...CONTENT_TITLE_TAGS,
  Tag.SharedFunctionalGroupsSequence,
  Tag.PerFrameFunctionalGroupsSequence,
];

/** A header that was read, with its file. */
export type ScannedFile = {
  readonly path: string;
  readonly opened: Pick<OpenSource, 'size' | 'known'>;
  readonly scan: Extract<HeaderScan, { kind: 'dicom' }>;
};

export function describeFile({ path, opened, scan }: ScannedFile): FileDescription {
  const { attributes: header, meta, transferSyntaxUid, pixelData } = scan;
  const sopClassUid = header.string(Tag.SOPClassUID) ?? meta.string(Tag.MediaStorageSOPClassUID) ?? '';
  const description = describePixels(header, transferSyntaxUid, pixelData);
  const hasPixels = pixelData !== undefined && pixelData.length > 0;
  const most = mostFrames(opened.size);
  const frameCount = hasPixels ? Math.min(countFrames(description, pixelData), most) : 0;
  const isCut = pixelData === undefined && scan.flags.some(({ code }) => code === 'inflate_limit');
  const support: Support = isCut
    ? { state: 'unsupported', reason: 'pixel_data.inflate_limit' }
    : assessSupport(description, hasPixels ? frameCount : undefined);
  const spacing = readPixelSpacing(firstFrameOf(header));
  const objectKind = classifyObject({
    sopClassUid,
    transferSyntaxUid,
    hasPixels,
    hasFunctionalGroups: hasGroups(header),
  });
  const isSlide = objectKind === 'whole_slide_microscopy';
  const elements = readElementFields(header);
  const { patientId, modality, studyDate } = elements;
  return {
    path,
    label: joinParts(joinParts(patientId, modality), studyDate) || basename(path),
    sopInstanceUid: header.string(Tag.SOPInstanceUID) ?? meta.string(Tag.MediaStorageSOPInstanceUID) ?? '',
    sopClassUid,
    sopClassName: sopClassName(sopClassUid),
    contentTitle: findShortTitle(header),
    objectKind,
    supportState: support.state,
    supportReason: support.reason,
    hasPixels,
    burnedInAnnotation: header.string(Tag.BurnedInAnnotation)?.toUpperCase() === 'YES',
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
    defaultWindow: findDefaultWindow(header),
    fileBytes: opened.size,
    emptyElements: findEmptyElements(header),
    placement: hasPixels ? readPlacement(header, { frameCount, isSlide }) : undefined,
    source: opened.known,
    // Keep last: V8 turns an object that starts with a spread and continues with many fields into a dictionary.
    ...elements,
  };
}

function joinParts(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first} · ${second}`;
}

function countFrames(description: PixelDescription, pixelData: PixelDataLocation): number {
  const { rows = 0, columns = 0, samplesPerPixel = 0, bitsAllocated = 0, numberOfFrames = 1 } = description;
  if (pixelData.encapsulated) {
    // A video is one stream, regardless of its number of frames, but each frame takes at least one byte.
    if (isVideoSyntax(description.transferSyntaxUid)) return Math.min(numberOfFrames, pixelData.length);
    return countEncapsulatedFrames(pixelData.source, pixelData.offset, numberOfFrames);
  }
  // The count cannot be computed; the file is refused because one of these is missing or, with a wrong VR, negative.
  if (Math.min(rows, columns, samplesPerPixel, bitsAllocated) <= 0) return Math.min(numberOfFrames, pixelData.length);
  const { photometricInterpretation = '' } = description;
  const layout = { rows, columns, samplesPerPixel, bitsAllocated, photometricInterpretation, numberOfFrames };
  return countNativeFrames(layout, pixelData.length);
}

function hasGroups(header: Attributes): boolean {
  return header.has(Tag.SharedFunctionalGroupsSequence) || header.has(Tag.PerFrameFunctionalGroupsSequence);
}

/** The first valid window of the first frame. */
function findDefaultWindow(header: Attributes): FileDescription['defaultWindow'] {
  const voi = findFunctionalGroup(header, 0, Tag.FrameVOILUTSequence) ?? header;
  const widths = voi.numbers(Tag.WindowWidth, MOST_VALUES.windows);
  for (const [number, center] of voi.numbers(Tag.WindowCenter, MOST_VALUES.windows).entries()) {
    const width = widths[number] ?? 0;
    if (Number.isFinite(center) && Number.isFinite(width) && width > 0) return { center, width };
  }
  return undefined;
}
