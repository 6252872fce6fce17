import { pictureOf } from '../../show/pictures/pictureKinds.ts';
import { imageOf } from '../../show/pictures/layerTarget.ts';
import { cellsOf, cellsOfLayout } from '../../kit/state/cells.ts';
import type { Command } from '../../kit/state/commands.ts';
import { findLayer, libraryOf, stackOf } from '../../kit/state/library.ts';
import { say } from '../../kit/state/messages.ts';
import { isField, shownLayersOf, setLayerShown, setLayersVisible } from '../../kit/state/layers.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { waitUntil } from '../../kit/state/waitUntil.ts';
import { isScanComplete } from './fileAnswers.ts';
import { descriptionsOf, liesOver } from './layerDescriptions.ts';
import { listCandidates, listFieldFiles } from './stackLayers.ts';

export const LAYER_COMMANDS: readonly Command[] = [
  {
    id: 'view.layers',
    title: 'Show or hide layers of this image',
    group: 'View',
    keys: ['M'],
    run: (page) => void toggleLayers(page, cellsOf(page).getState().activeCell),
    isEnabled: (page) => {
      const { activeCell } = cellsOf(page).getState();
      const isPutOn = listPutOn(page, activeCell).length > 0;
      return isPutOn || candidatesOf(page, activeCell).some((index) => !isFieldAt(page, index));
    },
    isOn: (page) => {
      const { activeCell } = cellsOf(page).getState();
      return shownLayersOf(page, activeCell).areVisible && listPutOn(page, activeCell).length > 0;
    },
  },
  {
    id: 'view.field',
    title: 'Show or hide the best volume over this image (PET, dose, map)',
    group: 'View',
    keys: ['F'],
    run: (page) => void toggleField(page, cellsOf(page).getState().activeCell),
    isEnabled: (page) => {
      const { activeCell } = cellsOf(page).getState();
      // Files that are still being found may have one.
      return fieldsOf(page, activeCell).length > 0 || (hasLayers(page, activeCell) && !isScanComplete(page));
    },
    isOn: (page) => {
      const { activeCell } = cellsOf(page).getState();
      return shownLayersOf(page, activeCell).areVisible && listShownFields(page, activeCell).length > 0;
    },
  },
  {
    id: 'view.nextField',
    title: 'Show the next volume over this image',
    group: 'View',
    keys: ['Shift+F'],
    run: (page) => void showNextField(page, cellsOf(page).getState().activeCell),
    isEnabled: (page) => fieldsOf(page, cellsOf(page).getState().activeCell).length > 1,
  },
];

/** Hides or shows the layers that are selected; if none is, selects all that lie over the images. */
async function toggleLayers(page: Page, cell: number): Promise<void> {
  if (listPutOn(page, cell).length > 0) {
    setLayersVisible(page, cell, !shownLayersOf(page, cell).areVisible);
    return;
  }
  const pictureId = pictureOf(page, cell)?.id;
  const candidates = candidatesOf(page, cell).filter((index) => !isFieldAt(page, index));
  const descriptions = descriptionsOf(page);
  // Loaded one after the other, because there may be many; each is shown as soon as it is loaded.
  for (const index of candidates) {
    if (descriptions.find(index) === undefined) await descriptions.load(index);
    const picture = pictureOf(page, cell);
    if (picture === undefined || picture.id !== pictureId) return;
    if (liesOver(page, index, picture)) setLayerShown(page, cell, index, true);
  }
}

/** Hides the fields that are shown; if none is, shows those that were hidden last, or else the best one. */
async function toggleField(page: Page, cell: number): Promise<void> {
  const shown = listShownFields(page, cell);
  if (shown.length > 0 && shownLayersOf(page, cell).areVisible) {
    lastFieldsOf(page).set(cell, shown);
    for (const index of shown) setInCells(page, cell, index, false);
    return;
  }
  const last = shown.length > 0 ? shown : (lastFieldsOf(page).get(cell) ?? []);
  const again = last.filter((index) => fieldsOf(page, cell).includes(index));
  if (again.length === 0) await showFirst(page, cell, () => fieldsOf(page, cell));
  for (const index of again) setInCells(page, cell, index, true);
}

/** The longest time that a key waits for files that are still being found. */
const PATIENCE_MS = 60_000;

/** Shows the first of these fields that lies over the picture, also if its files are still being found. */
async function showFirst(page: Page, cell: number, list: () => readonly number[]): Promise<void> {
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
      setInCells(page, cell, index, true);
      return;
    }
    reason = description?.reason ?? descriptions.findError(index)?.message ?? reason;
  }
  say(page, `No volume can be laid over this image: ${reason}`, 'failed');
}

/** The planes of a volume are seen together, so what lies over one lies over all. */
function setInCells(page: Page, cell: number, index: number, isShown: boolean): void {
  const ownStack = stackUnder(page, cell);
  const isPlane = pictureOf(page, cell)?.patientPlaneOf !== undefined;
  const { layout } = cellsOf(page).getState();
  const others = isPlane ? cellsOfLayout(layout).filter((other) => stackUnder(page, other) === ownStack) : [];
  for (const one of new Set([cell, ...others])) setLayerShown(page, one, index, isShown);
}

function stackUnder(page: Page, cell: number): ViewStack | undefined {
  const picture = pictureOf(page, cell);
  const image = picture && imageOf(page, picture);
  return image && stackOf(page, image);
}

/** The fields that `F` has hidden, by cell. */
const lastFieldsOf = definePart((page) => {
  const last = new Map<number, readonly number[]>();
  page.onRestart(() => last.clear());
  return last;
});

async function showNextField(page: Page, cell: number): Promise<void> {
  const fields = fieldsOf(page, cell);
  const shown = listShownFields(page, cell);
  const at = fields.indexOf(shown.at(-1) ?? -1) + 1;
  for (const index of shown) setInCells(page, cell, index, false);
  await showFirst(page, cell, () => [...fields.slice(at), ...fields.slice(0, at)]);
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
