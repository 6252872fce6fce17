import type { FileRecord } from '../../../shared/contract/files.ts';
import type { HangingValues, HungSeries } from '../../../shared/hanging/hangingRule.ts';
import { findWeighting } from '../../../shared/hanging/weighting.ts';
import { orientationOfRun } from '../../../shared/stackPlanes.ts';
import { normalOf } from '../../../shared/geometry.ts';
import { hasLayer } from '../../kit/state/layers.ts';
import { findFile, libraryOf, openingPosition, stackOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { findDetails, loadDetails } from '../../show/pictures/frameDetails.ts';

/** A series of a study, as rules see it, and where the page finds it. */
export type StudySeries = HungSeries & {
  readonly file: FileRecord;
  readonly stack: ViewStack;
  /** The image at which it opens. */
  readonly position: number;
};

/** Projections, each of which is seen by itself, although a series may have several. */
const SEEN_ALONE: readonly string[] = ['MG'];
/** Of a series with more images of that kind, all are one stack. */
const MOST_ALONE = 16;

/** The series of a study in the order of their numbers; objects that lie over images come last. */
export async function listStudySeries(page: Page, studyUid: string): Promise<readonly StudySeries[]> {
  const files = libraryOf(page)
    .getState()
    .files.filter(({ study_instance_uid }) => study_instance_uid === studyUid);
  const stacks = keepOneLevel([...new Set(files.map((file) => stackOf(page, file)))]);
  const lists = await Promise.all(stacks.map((stack) => describeStack(page, stack)));
  const isOver = ({ file }: StudySeries) => Number(hasLayer(file));
  const numberOf = ({ values }: StudySeries) => Number(values.SeriesNumber ?? Infinity);
  return lists.flat().toSorted((a, b) => isOver(a) - isOver(b) || compare(numberOf(a), numberOf(b)));
}

/** Not a difference, because that of two infinities is not a number. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The levels of a slide are one picture, which is opened by its smallest level. Its label and overview are not shown. */
function keepOneLevel(stacks: readonly ViewStack[]): readonly ViewStack[] {
  const smallest = new Map<string | undefined, ViewStack>();
  for (const stack of stacks) {
    const known = smallest.get(stack.seriesUid);
    const isLevel = stack.kind === 'wsi_pyramid_level';
    if (isLevel && (known === undefined || stack.frames.length < known.frames.length))
      smallest.set(stack.seriesUid, stack);
  }
  return stacks.filter(({ kind, seriesUid }, at) => {
    if (kind === 'wsi_companion') return false;
    return kind !== 'wsi_pyramid_level' || smallest.get(seriesUid) === stacks[at];
  });
}

async function describeStack(page: Page, stack: ViewStack): Promise<StudySeries[]> {
  const file = findFile(page, stack.fileIndex);
  if (file === undefined) return [];
  const isAlone = SEEN_ALONE.includes(file.modality) && stack.frames.length <= MOST_ALONE;
  if (!isAlone) {
    return [toStudySeries(stack, file, openingPosition(page, stack))];
  }
  return Promise.all(stack.frames.map((_, position) => describeImage(page, stack, position)));
}

/** A stack as one series, by what the list knows. */
export function toStudySeries(stack: ViewStack, file: FileRecord, position: number): StudySeries {
  const frameOfReferenceUid = file.frame_of_reference_uid ?? '';
  return { id: stack.id, values: valuesOf(file, stack), frameOfReferenceUid, rowsTo: '', file, stack, position };
}

/** What the list does not know of a projection comes from its header. */
async function describeImage(page: Page, stack: ViewStack, position: number): Promise<StudySeries> {
  const frame = stack.frames[position]!;
  const file = findFile(page, frame.fileIndex)!;
  await loadDetails(page, frame, new AbortController().signal);
  const read = (keyword: string) => findDetails(page, frame)?.values.get(keyword)?.trim() || null;
  const [rowsTo = ''] = read('PatientOrientation')?.split('\\') ?? [];
  const values = {
    ...valuesOf(file, stack),
    Images: 1,
    ImageLaterality: read('ImageLaterality') ?? read('Laterality'),
    ViewPosition: read('ViewPosition'),
  };
  return { id: `${stack.id}@${position}`, values, frameOfReferenceUid: '', rowsTo, file, stack, position };
}

function valuesOf(file: FileRecord, stack: ViewStack): HangingValues {
  const { frames } = stack;
  const number = Number.parseInt(file.series_number, 10);
  return {
    Modality: file.modality,
    SeriesDescription: file.series_description,
    StudyDescription: file.study_description,
    SeriesNumber: Number.isNaN(number) ? null : number,
    Rows: file.rows,
    Columns: file.columns,
    ImageLaterality: null,
    ViewPosition: null,
    ObjectKind: file.object_kind,
    Images: frames.length,
    Times: countTimes(stack),
    Plane: nameOrientation(stack),
    Weighting: file.modality === 'MR' ? findWeighting(file.series_description) : null,
  };
}

/** How many images there are in each place. */
function countTimes({ frames }: ViewStack): number {
  const places = new Set(frames.map(({ positionMm }) => positionMm?.toFixed(2)));
  return places.size === 0 || places.has(undefined) ? 1 : Math.floor(frames.length / places.size);
}

/** The component of a normal that is near an axis of the patient: up to 37 degrees. */
const NEAR_AXIS = 0.8;
const ORIENTATIONS = ['sagittal', 'coronal', 'axial'] as const;

function nameOrientation({ planes }: ViewStack): string | null {
  const [run] = planes ?? [];
  const orientation = run?.space === 'patient' ? orientationOfRun(run) : undefined;
  if (orientation === undefined) return null;
  const axis = normalOf(orientation).findIndex((component) => Math.abs(component) > NEAR_AXIS);
  return ORIENTATIONS[axis] ?? 'oblique';
}
