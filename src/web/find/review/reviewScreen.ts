import type { WireReview, WireReviewUnit } from '../../../shared/contract/review.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { findCounterpart } from '../../../shared/hanging/findCounterpart.ts';
import type { CellState } from '../../kit/state/cells.ts';
import { cellOf, cellsOf, cellsOfLayout } from '../../kit/state/cells.ts';
import { layersOf, opensOverImages, shownLayersOf } from '../../kit/state/layers.ts';
import { findFile, libraryOf, openingPosition, stackOf } from '../../kit/state/library.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { isPresentation } from '../../kit/state/presentations.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { waitUntil } from '../../kit/state/waitUntil.ts';
import { findMiddleOf, findPicture, pictureOf } from '../../show/pictures/pictureKinds.ts';
import { visibleCells } from '../../show/pictures/shownFrame.ts';
import { imagingOf } from '../../show/pictures/viewport/imaging.ts';
import { reportOf, viewportsOf } from '../../show/pictures/viewports.ts';
import { isReadFirst, openNode } from '../files/openNode.ts';
import { fileInCell } from '../studies/fileInCell.ts';
import { hangStudy } from '../studies/hangStudy.ts';
import { carryLook, findShown, nameOfPlane, type ShownCell } from '../studies/nextStudy.ts';
import { showScreen, type WantedCell, type WantedScreen } from '../studies/showScreen.ts';
import { listStudySeries, type StudySeries, toStudySeries } from '../studies/studySeries.ts';

type Unit = Pick<WireReviewUnit, 'study' | 'series' | 'instance' | 'file'>;

/** The files of a unit may come to the page later than the unit. */
const LONGEST_FILE_MS = 10_000;
/** After that, the user sees for himself what is on the screen. */
const LONGEST_OPENING_MS = 10_000;

/** Whether a file is part of a unit. */
export function isOfUnit(file: FileRecord | undefined, { study, series, instance }: Unit): boolean {
  return (
    file?.study_instance_uid === study &&
    (series === null || file.series_instance_uid === series) &&
    (instance === null || file.sop_instance_uid === instance)
  );
}

/** The first of the visible cells that shows something of a unit, the active one before others. */
export function findCellOfUnit(page: Page, unit: Unit): number | undefined {
  const { activeCell } = cellsOf(page).getState();
  const visible = visibleCells(page);
  const order = visible.includes(activeCell) ? [activeCell, ...visible] : visible;
  return order.find((cell) => isOfUnit(fileInCell(page, cell), unit) || liesOver(page, cell, unit));
}

/** Whether an object about images, such as a segmentation, is shown over those of a cell. */
function liesOver(page: Page, cell: number, { file: index }: Unit): boolean {
  const file = findFile(page, index);
  if (file === undefined || !opensByItself(file)) return false;
  const isApplied = isPresentation(file) && cellOf(page, cell).presentation !== undefined;
  return isApplied || shownLayersOf(page, cell).shown.includes(index);
}

/**
 * Shows a unit as the last one of its role was shown: in the same layout, planes and windows, with the same layers.
 * Resolves when it is on the screen.
 */
export async function showUnit(page: Page, level: WireReview['level'], unit: Unit, before?: Unit): Promise<void> {
  if (before !== undefined) await keepScreen(page, level, before);
  const signal = AbortSignal.timeout(LONGEST_OPENING_MS);
  await waitUntil(() => findFile(page, unit.file) !== undefined, {
    stores: [libraryOf(page)],
    longestMs: LONGEST_FILE_MS,
    signal,
  });
  const file = findFile(page, unit.file);
  if (file === undefined) return;
  if (level !== 'study' && opensByItself(file))
    openNode(page, { stackId: stackOf(page, file).id, fileIndex: file.index });
  else {
    const screen = await planScreen(page, level, file);
    if (screen === undefined) await hangStudy(page, unit.study);
    // The user has opened something else meanwhile.
    else if (!(await showScreen(page, screen))) return;
  }
  await waitUntil(() => isOnScreen(page, unit), {
    stores: [viewportsOf(page), cellsOf(page), libraryOf(page), layersOf(page)],
    longestMs: LONGEST_OPENING_MS,
    signal,
  });
}

/** An object about other images is opened over them. */
function opensByItself(file: FileRecord): boolean {
  return isReadFirst(file) || opensOverImages(file) || isPresentation(file);
}

function isOnScreen(page: Page, unit: Unit): boolean {
  const cell = findCellOfUnit(page, unit);
  if (cell === undefined) return false;
  const { status, shown } = reportOf(page, cell);
  if (status === 'failed') return true;
  return status === 'ready' && (shown === undefined || shown.source === pictureOf(page, cell));
}

/** A screen that holds for other units of the same role. */
type KeptScreen = Omit<WantedScreen, 'cells'> & { readonly cells: readonly (KeptCell | undefined)[] };

type KeptCell = {
  /** What it shows of the study beside the unit; undefined for the unit. */
  readonly beside: ShownCell | undefined;
  readonly plane: string | undefined;
  readonly look: WantedCell['look'];
  readonly layers: readonly StudySeries[];
};

type KeptScreens = { readonly byRole: Map<string, KeptScreen>; last: KeptScreen | undefined };

const keptScreensOf = definePart((page) => {
  const kept: KeptScreens = { byRole: new Map(), last: undefined };
  page.onRestartFirst(() => {
    kept.byRole.clear();
    kept.last = undefined;
  });
  return kept;
});

/** Images of one modality and orientation are looked at alike. */
function roleOf(page: Page, level: WireReview['level'], file: FileRecord): string {
  if (level !== 'study') {
    const { Modality, Plane } = toStudySeries(stackOf(page, file), file, 0).values;
    return `${Modality}/${Plane}`;
  }
  const { files } = libraryOf(page).getState();
  const ofStudy = files.filter(({ study_instance_uid }) => study_instance_uid === file.study_instance_uid);
  return [...new Set(ofStudy.map(({ modality }) => modality))].toSorted().join();
}

/** Remembers how a unit is shown, if it is still on the screen. */
async function keepScreen(page: Page, level: WireReview['level'], unit: Unit): Promise<void> {
  const file = findFile(page, unit.file);
  if (file === undefined || opensByItself(file) || findCellOfUnit(page, unit) === undefined) return;
  const { layout, links, activeCell, maximisedCell } = cellsOf(page).getState();
  const cells = await Promise.all(cellsOfLayout(layout).map((cell) => keepCell(page, level, cell, unit)));
  const kept = { layout, links, activeCell, maximisedCell, cells };
  keptScreensOf(page).byRole.set(roleOf(page, level, file), kept);
  keptScreensOf(page).last = kept;
}

async function keepCell(
  page: Page,
  level: WireReview['level'],
  cell: number,
  unit: Unit,
): Promise<KeptCell | undefined> {
  const source = pictureOf(page, cell);
  if (source === undefined) return undefined;
  const look = carryLook(cellOf(page, cell));
  const isUnit = level !== 'study' && isOfUnit(fileInCell(page, cell), { ...unit, instance: null });
  const hasLayers = shownLayersOf(page, cell).shown.length > 0;
  const shown = isUnit && !hasLayers ? undefined : await findShown(page, cell);
  if (isUnit) return { beside: undefined, plane: nameOfPlane(source), look, layers: shown?.layers ?? [] };
  return shown && { beside: shown, plane: shown.plane, look, layers: shown.layers };
}

/** Undefined if a study is to be shown by a rule. */
async function planScreen(page: Page, level: WireReview['level'], file: FileRecord): Promise<WantedScreen | undefined> {
  const { byRole, last } = keptScreensOf(page);
  const known = byRole.get(roleOf(page, level, file));
  if (level === 'study' && known === undefined) return undefined;
  const kept = known ?? (last === undefined ? startScreen(page) : withoutLooks(last));
  const needsStudy = kept.cells.some(
    (cell) => cell !== undefined && (cell.beside !== undefined || cell.layers.length > 0),
  );
  const study = needsStudy ? await listStudySeries(page, file.study_instance_uid) : [];
  const cells = kept.cells.map((cell) => cell && fillCell(page, level, cell, file, study));
  if (level === 'study') return cells.some((cell) => cell !== undefined) ? { ...kept, cells } : undefined;
  // The unit is always seen.
  const isSeen = cells.some((cell, at) => cell !== undefined && kept.cells[at]?.beside === undefined);
  const [first = kept.activeCell ?? 0] = cells.flatMap((cell, at) => (cell === undefined ? [at] : []));
  return isSeen
    ? { ...kept, cells }
    : { ...kept, cells: cells.with(first, unitCell(page, level, file)), activeCell: first };
}

function fillCell(
  page: Page,
  level: WireReview['level'],
  { beside, plane, look, layers }: KeptCell,
  file: FileRecord,
  study: readonly StudySeries[],
): WantedCell | undefined {
  const found = layers.flatMap((layer) => findLike(layer, study)?.file ?? []);
  if (beside === undefined) {
    const cell = unitCell(page, level, file);
    return { ...cell, plane: Number(cell.series.values.Images) < 2 ? undefined : plane, look, layers: found };
  }
  const series = findLike(beside.series, study);
  return series && { series, plane, look, layers: found };
}

function findLike(series: StudySeries, study: readonly StudySeries[]): StudySeries | undefined {
  const like = findCounterpart(series, study);
  return study.find(({ id }) => id === like?.id);
}

function unitCell(page: Page, level: WireReview['level'], file: FileRecord): WantedCell {
  const stack = stackOf(page, file);
  const position = positionIn(page, level, stack, file);
  return { series: toStudySeries(stack, file, position), plane: undefined, look: USUAL_LOOK, layers: [] };
}

const USUAL_LOOK: Pick<CellState, 'window'> = { window: { kind: 'file', index: 0 } };

function positionIn(page: Page, level: WireReview['level'], stack: ViewStack, file: FileRecord): number {
  return openingPosition(page, stack, level === 'file' ? file : undefined);
}

/** The layout that the user has chosen before the first unit, with the unit in all of its cells that show something. */
function startScreen(page: Page): KeptScreen {
  const { layout, links, activeCell, maximisedCell } = cellsOf(page).getState();
  const cells = cellsOfLayout(layout).map((cell): KeptCell | undefined => {
    if (cell !== activeCell) return undefined;
    return { beside: undefined, plane: undefined, look: USUAL_LOOK, layers: [] };
  });
  return { layout, links, activeCell, maximisedCell, cells };
}

/** Windows of one modality say nothing of another. */
function withoutLooks(kept: KeptScreen): KeptScreen {
  return { ...kept, cells: kept.cells.map((cell) => cell && { ...cell, look: USUAL_LOOK }) };
}

const PREFETCH = 'review';

/** Loads the first pictures of units that come next, behind everything that is on the screen. */
export async function prefetchUnits(page: Page, level: WireReview['level'], units: readonly Unit[]): Promise<void> {
  const { loader } = imagingOf(page);
  const lists = await Promise.all(units.map((unit) => listWishes(page, level, unit)));
  loader.want(PREFETCH, { now: [], soon: lists.flat() });
}

async function listWishes(page: Page, level: WireReview['level'], unit: Unit) {
  const file = findFile(page, unit.file);
  if (level === 'study' || file === undefined || opensByItself(file)) return [];
  const { byRole, last } = keptScreensOf(page);
  const cells = (byRole.get(roleOf(page, level, file)) ?? last)?.cells ?? [];
  const planes = cells.flatMap((cell) => (cell === undefined || cell.beside !== undefined ? [] : [cell.plane]));
  const wanted = planes.length === 0 ? [undefined] : [...new Set(planes)];
  const lists = await Promise.all(wanted.map((plane) => wishOf(page, level, file, plane)));
  return lists.flat();
}

async function wishOf(page: Page, level: WireReview['level'], file: FileRecord, plane: string | undefined) {
  const stack = stackOf(page, file);
  const [first] = stack.frames;
  const place =
    plane === undefined || first === undefined
      ? { id: stack.id, position: positionIn(page, level, stack, file) }
      : await findMiddleOf(page, { fileIndex: first.fileIndex, frame: first.frame }, plane);
  const source = place && findPicture(page, place.id);
  if (place === undefined || source === undefined) return [];
  const { loader } = imagingOf(page);
  const choice = { kind: 'default' } as const;
  const context = {
    choice,
    restingChoice: choice,
    loader,
    isPassing: false,
    expected: 'raw',
    state: undefined,
  } as const;
  return source.wishes(place.position, { ...context, previewSize: () => PREVIEW_PX }).slice(0, 1);
}

/** Only for forms that are not taken. */
const PREVIEW_PX = 512;
