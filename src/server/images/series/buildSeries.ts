import { addTo } from '../../../shared/addTo.ts';
import type { ObjectKind } from '../../../shared/contract/files.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { isPart, type Part } from './concatenation.ts';
import type { ReadGeometry } from './geometryReader.ts';
import { buildImageStacks } from './imageStacks.ts';
import { buildConcatenationStack, buildSlideStack, buildMultiFrameStack } from './multiFrameStack.ts';
import { lacksFrames } from './inspectFrameCounts.ts';
import type { Series, Stack } from './stack.ts';
import type { StackDraft } from './stackDraft.ts';

export type SeriesSource = {
  readonly studyInstanceUid: string;
  readonly seriesInstanceUid: string;
  /** Images of the series, by index. */
  readonly files: readonly DicomFile[];
  /** Undefined if the geometry is unknown, or not read yet. */
  readonly geometryOf: (file: DicomFile) => ReadGeometry | undefined;
};

/** Only images are shown in stacks, and only those that have the UIDs to group them by. */
export function isStackable(file: DicomFile): boolean {
  const hasUids = file.studyInstanceUid !== '' && file.seriesInstanceUid !== '';
  return hasUids && file.hasPixels && file.frameCount > 0 && !NO_IMAGE.has(file.objectKind);
}

const NO_IMAGE: ReadonlySet<ObjectKind> = new Set([
  'real_world_value_mapping',
  'presentation_state',
  'registration',
  'structured_report',
  'key_object_selection',
  'waveform',
  'encapsulated_document',
]);

export function buildSeries(source: SeriesSource): Series {
  const { studyInstanceUid, seriesInstanceUid, files, geometryOf } = source;
  const id = `${studyInstanceUid}/${seriesInstanceUid}`;
  const single: DicomFile[] = [];
  const apart: DicomFile[] = [];
  const parts = new Map<string, Part[]>();
  const slides = new Map<string, DicomFile[]>();
  const frameOfReferenceUids = new Set<string>();
  for (const file of files) {
    if (file.frameOfReferenceUid !== undefined) frameOfReferenceUids.add(file.frameOfReferenceUid);
    if (file.objectKind === 'whole_slide_microscopy') {
      addTo(slides, file.placement?.concatenation?.uid ?? `file ${file.index}`, file);
    } else if (isPart(file)) addTo(parts, file.placement.concatenation.uid, file);
    else if (file.frameCount === 1 && !standsAlone(file) && !lacksFrames(file)) single.push(file);
    else apart.push(file);
  }
  const drafts: StackDraft[] = buildImageStacks(single);
  for (const file of apart) drafts.push(buildMultiFrameStack(file, geometryOf(file)));
  for (const joint of parts.values()) drafts.push(buildConcatenationStack(joint, geometryOf));
  for (const joint of slides.values()) drafts.push(buildSlideStack(joint));
  const stacks = toStacks(id, drafts);
  return {
    id,
    studyInstanceUid,
    seriesInstanceUid,
    frameOfReferenceUids: [...frameOfReferenceUids].toSorted(),
    stacks,
  };
}

/** Objects derived from images are never mixed with images or with each other. */
function standsAlone({ objectKind, sopClassUid }: DicomFile): boolean {
  return objectKind === 'segmentation' || objectKind === 'parametric_map' || sopClassUid === RT_DOSE_STORAGE;
}

const RT_DOSE_STORAGE = '1.2.840.10008.5.1.4.1.1.481.2';

/** Assigns the ids. Copies of a file share one UID, so the later ones are numbered. */
function toStacks(seriesId: string, drafts: readonly StackDraft[]): Stack[] {
  const used = new Map<string, number>();
  return drafts
    .toSorted((a, b) => a.firstFileIndex - b.firstFileIndex)
    .map(({ uid, stack }) => {
      const copies = (used.get(uid) ?? 0) + 1;
      used.set(uid, copies);
      return { id: copies === 1 ? `${seriesId}/${uid}` : `${seriesId}/${uid}/${copies}`, ...stack };
    });
}
