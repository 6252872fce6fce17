import { findCounterpart } from '../../../shared/hanging/findCounterpart.ts';
import { cellOf, type CellState, cellsOf, cellsOfLayout, type GridLayout } from '../../kit/state/cells.ts';
import { shownLayersOf } from '../../kit/state/layers.ts';
import { findLayer, findStack, libraryOf, stackOf } from '../../kit/state/library.ts';
import { say } from '../../kit/state/messages.ts';
import type { Page } from '../../kit/state/page.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { formatDate } from '../../show/series/describeFile.ts';
import { listStacksInOrder } from '../../show/series/stackOrder.ts';
import { pictureOf } from '../../show/pictures/pictureKinds.ts';
import type { PictureSource } from '../../show/pictures/pictureSource.ts';
import { hangStudy } from './hangStudy.ts';
import { fileInCell } from './fileInCell.ts';
import { showScreen, type WantedCell, type WantedScreen } from './showScreen.ts';
import { listStudySeries, type StudySeries } from './studySeries.ts';
import { waitForStudies } from './waitForStudies.ts';

/** Shows the study before or after, in the order of the explorer, with the same roles in the same cells. */
export async function stepStudy(page: Page, step: 1 | -1): Promise<void> {
  await waitForStudies(page);
  const studies = listStudies(page);
  const current = studyOfScreen(page);
  const next = studies[current === undefined ? 0 : studies.indexOf(current) + step];
  if (next === undefined) {
    say(page, step > 0 ? 'This is the last study.' : 'This is the first study.');
    return;
  }
  await takeOver(page, next);
  // A message about the rule or about cells that stay empty says more.
  if (studies.length > 2) say(page, `Study ${studies.indexOf(next) + 1} of ${studies.length}.`);
}

/** Studies with pictures. */
function listStudies(page: Page): readonly string[] {
  const uids = listStacksInOrder(page).map((id) => findStack(page, id)?.studyUid ?? '');
  return [...new Set(uids)].filter((uid) => uid !== '');
}

/** The study of the active cell, or else of the first cell that shows one. */
export function studyOfScreen(page: Page): string | undefined {
  const { activeCell, layout } = cellsOf(page).getState();
  for (const cell of [activeCell, ...cellsOfLayout(layout)]) {
    const uid = fileInCell(page, cell)?.study_instance_uid;
    if (uid !== undefined && uid !== '') return uid;
  }
  return undefined;
}

/** Shows the like of each cell of another study. If it has none, it is shown by a rule. */
async function takeOver(page: Page, studyUid: string): Promise<void> {
  const { layout, links } = cellsOf(page).getState();
  const study = await listStudySeries(page, studyUid);
  const cells = await Promise.all(cellsOfLayout(layout).map((cell) => findLike(page, cell, study)));
  if (cells.every((cell) => cell === undefined)) {
    await hangStudy(page, studyUid);
    return;
  }
  await showScreen(page, { layout, cells, links });
}

/** What plays the role of a cell in another study. */
async function findLike(page: Page, cell: number, study: readonly StudySeries[]): Promise<WantedCell | undefined> {
  const shown = await findShown(page, cell);
  const series = shown && findCounterpart(shown.series, study);
  const found = study.find(({ id }) => id === series?.id);
  if (shown === undefined || found === undefined) return undefined;
  // One image is no volume. In several cells, the same image would be seen instead of planes.
  if (shown.plane !== undefined && Number(found.values.Images) < 2) return undefined;
  const layers = shown.layers.flatMap((layer) => {
    const like = findCounterpart(layer, study);
    return study.find(({ id }) => id === like?.id)?.file ?? [];
  });
  return { series: found, plane: shown.plane, look: carryLook(cellOf(page, cell)), layers };
}

/** What a cell shows now, in the terms of rules. */
export type ShownCell = {
  readonly series: StudySeries;
  readonly plane: string | undefined;
  readonly layers: readonly StudySeries[];
  /** All series of its study. */
  readonly study: readonly StudySeries[];
};

export async function findShown(page: Page, cell: number): Promise<ShownCell | undefined> {
  const source = pictureOf(page, cell);
  const file = fileInCell(page, cell);
  if (source === undefined || file === undefined) return undefined;
  const study = await listStudySeries(page, file.study_instance_uid);
  const stack = stackOf(page, file);
  const inStack = study.filter((one) => one.stack.id === stack.id);
  const { position } = cellOf(page, cell);
  const series = inStack.find((one) => one.position === position) ?? inStack[0] ?? levelOf(study, file);
  if (series === undefined) return undefined;
  const layers = shownLayersOf(page, cell).shown.flatMap((index) => {
    const layer = findLayer(page, index);
    return study.find((one) => layer !== undefined && one.stack.fileIndex === layer.index) ?? [];
  });
  return { series, plane: nameOfPlane(source), layers, study };
}

/** Of a slide, the list has one level. */
function levelOf(study: readonly StudySeries[], file: FileRecord): StudySeries | undefined {
  return study.find((one) => one.file.series_instance_uid === file.series_instance_uid);
}

/** The planes of a volume as the address names them, without its turn and its time, which are of one patient. */
export function nameOfPlane(source: PictureSource): string | undefined {
  if (source.volume === undefined) return undefined;
  const parts = source.addressOf(0)?.plane?.split('~') ?? [];
  return parts.filter((part) => !/^[fopt]-?\d/.test(part)).join('~') || undefined;
}

/** What holds for another study too: not the part of the image, and no window by index of a file. */
export function carryLook({ window, invert, colorMap, interpolation, view }: CellState): WantedCell['look'] {
  const carried = window.kind === 'file' ? { kind: 'file' as const, index: 0 } : window;
  return { window: carried, invert, colorMap, interpolation, view: { ...view, zoom: 'fit', center: undefined } };
}

const SIDE_BY_SIDE: GridLayout = { rows: 1, columns: 2 };

/** Shows the active cell beside its like in the study of the patient before it; both scroll together, by millimetres. */
export async function comparePrior(page: Page): Promise<void> {
  await waitForStudies(page);
  const { activeCell, links } = cellsOf(page).getState();
  const [shown, file] = [await findShown(page, activeCell), fileInCell(page, activeCell)];
  if (shown === undefined || file === undefined) return;
  for (const prior of listPriors(page, file)) {
    const like = await findLike(page, activeCell, await listStudySeries(page, prior.study_instance_uid));
    if (like === undefined) continue;
    const own: WantedCell = {
      series: { ...shown.series, position: cellOf(page, activeCell).position },
      plane: shown.plane,
      look: carryLook(cellOf(page, activeCell)),
      layers: shown.layers.map((layer) => layer.file),
    };
    const screen: WantedScreen = { layout: SIDE_BY_SIDE, cells: [own, like], links: { ...links, scroll: true } };
    if (await showScreen(page, screen))
      say(page, `On the right: the study of ${formatDate(prior.study_date) || 'an unknown date'}.`);
    return;
  }
  say(page, 'No earlier study of this patient has a series like this one.', 'failed');
}

/** The first file of each earlier study of the patient, the latest study first. */
function listPriors(page: Page, { patient_id, study_date, study_instance_uid }: FileRecord): readonly FileRecord[] {
  const priors = new Map<string, FileRecord>();
  for (const file of libraryOf(page).getState().files) {
    const isPrior = file.patient_id === patient_id && file.study_date < study_date;
    const { study_instance_uid: uid } = file;
    if (patient_id !== '' && isPrior && uid !== study_instance_uid && !priors.has(uid)) priors.set(uid, file);
  }
  return [...priors.values()].toSorted((a, b) => (a.study_date < b.study_date ? 1 : -1));
}
