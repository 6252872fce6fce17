import { pictureOf } from '../../show/pictures/pictureKinds.ts';
import { imageOf } from '../../show/pictures/layerTarget.ts';
import { cellsOf } from '../../kit/state/cells.ts';
import type { Command } from '../../kit/state/commands.ts';
import { findLayer, libraryOf, stackOf } from '../../kit/state/library.ts';
import { say } from '../../kit/state/messages.ts';
import { isField, shownLayersOf, setLayerShown, setLayersVisible } from '../../kit/state/layers.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { waitUntil } from '../../kit/state/waitUntil.ts';
import { isScanComplete } from './fileAnswers.ts';
import { groupOfCell, stackUnder } from './groupOfCell.ts';
import { descriptionsOf, liesOver } from './layerDescriptions.ts';
import { listCandidates, listFieldFiles } from './stackLayers.ts';

export const LAYER_COMMANDS: readonly Command[] = [
  layersCommand('view.layers', 'Show or hide layers, in all linked images', 'M', groupOfCell),
  layersCommand('view.layersHere', 'Show or hide layers of this image only', 'Alt+M', (_, cell) => [cell]),
  fieldCommand('view.field', 'Show or hide the best volume (PET, dose, map), in all linked images', 'F', groupOfCell),
  fieldCommand('view.fieldHere', 'Show or hide the best volume over this image only', 'Alt+F', (_, cell) => [cell]),
  {
    id: 'view.nextField',
    title: 'Show the next volume over this image',
    group: 'View',
    keys: ['Shift+F'],
    run: (page) => void showNextField(page, cellsOf(page).getState().activeCell),
    isEnabled: (page) => fieldsOf(page, cellsOf(page).getState().activeCell).length > 1,
  },
];

type FindCells = (page: Page, cell: number) => readonly number[];

function layersCommand(id: string, title: string, key: string, findCells: FindCells): Command {
  return {
    id,
    title,
    group: 'View',
    keys: [key],
    run(page) {
      const { activeCell } = cellsOf(page).getState();
      void toggleLayers(page, activeCell, findCells(page, activeCell));
    },
    isEnabled(page) {
      const { activeCell } = cellsOf(page).getState();
      const isPutOn = listPutOn(page, activeCell).length > 0;
      return isPutOn || candidatesOf(page, activeCell).some((index) => !isFieldAt(page, index));
    },
    isOn(page) {
      const { activeCell } = cellsOf(page).getState();
      return shownLayersOf(page, activeCell).areVisible && listPutOn(page, activeCell).length > 0;
    },
  };
}

function fieldCommand(id: string, title: string, key: string, findCells: FindCells): Command {
  return {
    id,
    title,
    group: 'View',
    keys: [key],
    run(page) {
      const { activeCell } = cellsOf(page).getState();
      void toggleField(page, activeCell, findCells(page, activeCell));
    },
    isEnabled(page) {
      const { activeCell } = cellsOf(page).getState();
      // Files that are still being found may have one.
      return fieldsOf(page, activeCell).length > 0 || (hasLayers(page, activeCell) && !isScanComplete(page));
    },
    isOn(page) {
      const { activeCell } = cellsOf(page).getState();
      return shownLayersOf(page, activeCell).areVisible && listShownFields(page, activeCell).length > 0;
    },
  };
}

/** Hides or shows the layers that are selected; where none is, selects all that lie over the images. */
async function toggleLayers(page: Page, cell: number, cells: readonly number[]): Promise<void> {
  const isPutOn = (one: number) => listPutOn(page, one).length > 0;
  const areVisible = !(isPutOn(cell) && shownLayersOf(page, cell).areVisible);
  const [known, empty] = [cells.filter(isPutOn), cells.filter((one) => !isPutOn(one))];
  setLayersVisible(page, known, areVisible);
  if (!areVisible) return;
  for (const one of empty) await putOnAll(page, one);
}

async function putOnAll(page: Page, cell: number): Promise<void> {
  const pictureId = pictureOf(page, cell)?.id;
  const candidates = candidatesOf(page, cell).filter((index) => !isFieldAt(page, index));
  const descriptions = descriptionsOf(page);
  // Loaded one after the other, because there may be many; each is shown as soon as it is loaded.
  for (const index of candidates) {
    if (descriptions.find(index) === undefined) await descriptions.load(index);
    const picture = pictureOf(page, cell);
    if (picture === undefined || picture.id !== pictureId) return;
    if (liesOver(page, index, picture)) setLayerShown(page, [cell], index, true);
  }
}

/** Hides the fields that are shown; if none is, shows those that were hidden last, or else the best one. */
async function toggleField(page: Page, cell: number, cells: readonly number[]): Promise<void> {
  const isHiding = listShownFields(page, cell).length > 0 && shownLayersOf(page, cell).areVisible;
  for (const one of [cell, ...cells.filter((other) => other !== cell)]) {
    if (isHiding) hideFields(page, one);
    else await showField(page, one, one === cell);
  }
}

function hideFields(page: Page, cell: number): void {
  const shown = listShownFields(page, cell);
  if (shown.length > 0) lastFieldsOf(page).set(cell, shown);
  for (const index of shown) setLayerShown(page, [cell], index, false);
}

async function showField(page: Page, cell: number, isLeader: boolean): Promise<void> {
  const shown = listShownFields(page, cell);
  const last = shown.length > 0 ? shown : (lastFieldsOf(page).get(cell) ?? []);
  const again = last.filter((index) => fieldsOf(page, cell).includes(index));
  if (again.length === 0) await showFirst(page, cell, { list: () => fieldsOf(page, cell), isLeader });
  for (const index of again) setLayerShown(page, [cell], index, true);
}

/** The longest time that a key waits for files that are still being found. */
const PATIENCE_MS = 60_000;

type FirstOptions = {
  readonly list: () => readonly number[];
  /** Of several cells, only that of the user says why there is nothing. */
  readonly isLeader: boolean;
};

/** Shows the first of these fields that lies over the picture, also if its files are still being found. */
async function showFirst(page: Page, cell: number, { list, isLeader }: FirstOptions): Promise<void> {
  const before = pictureOf(page, cell);
  const image = before && imageOf(page, before);
  // Compared by file, because the id of a stack changes once the series are known.
  const isSame = () => image !== undefined && stackUnder(page, cell) === stackOf(page, image);
  await waitUntil(() => list().length > 0 || isScanComplete(page) || !isSame(), {
    stores: [libraryOf(page), cellsOf(page)],
    longestMs: PATIENCE_MS,
    signal: page.untilRestart(new AbortController().signal),
  });
  const descriptions = descriptionsOf(page);
  let reason = 'no other volume of its frame of reference is open';
  for (const index of list()) {
    const description = descriptions.find(index) ?? (await descriptions.load(index));
    const picture = pictureOf(page, cell);
    if (picture === undefined || !isSame()) return;
    if (liesOver(page, index, picture)) {
      setLayerShown(page, [cell], index, true);
      return;
    }
    reason = description?.reason ?? descriptions.findError(index)?.message ?? reason;
  }
  if (isLeader) say(page, `No volume can be laid over this image: ${reason}`, 'failed');
}

/** The fields that `F` has hidden, by cell. */
const lastFieldsOf = definePart((page) => {
  const last = new Map<number, readonly number[]>();
  page.onRestart(() => last.clear());
  return last;
});

async function showNextField(page: Page, cell: number): Promise<void> {
  const cells = [cell, ...groupOfCell(page, cell).filter((other) => other !== cell)];
  const fields = fieldsOf(page, cell);
  const shown = listShownFields(page, cell);
  const at = fields.indexOf(shown.at(-1) ?? -1) + 1;
  const list = () => [...fields.slice(at), ...fields.slice(0, at)];
  for (const one of cells) {
    for (const index of listShownFields(page, one)) setLayerShown(page, [one], index, false);
    await showFirst(page, one, { list, isLeader: one === cell });
  }
}

function hasLayers(page: Page, cell: number): boolean {
  return pictureOf(page, cell)?.traits.layers === true;
}

function fieldsOf(page: Page, cell: number): number[] {
  const picture = pictureOf(page, cell);
  return picture === undefined ? [] : listFieldFiles(page, picture).map(({ index }) => index);
}

function listShownFields(page: Page, cell: number): number[] {
  const fields = fieldsOf(page, cell);
  return shownLayersOf(page, cell).shown.filter((index) => fields.includes(index));
}

function isFieldAt(page: Page, index: number): boolean {
  const file = findLayer(page, index);
  return file !== undefined && isField(file);
}

function candidatesOf(page: Page, cell: number): number[] {
  const picture = pictureOf(page, cell);
  return picture === undefined
    ? []
    : listCandidates(page, picture, shownLayersOf(page, cell).shown).map(({ index }) => index);
}

/** The selected layers among those that may lie over the images of the cell. */
function listPutOn(page: Page, cell: number): number[] {
  const { shown } = shownLayersOf(page, cell);
  return candidatesOf(page, cell).filter((index) => shown.includes(index));
}
