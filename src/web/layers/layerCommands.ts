import { pictureOf } from '../pictures/pictureKinds.ts';
import { cellsOf } from '../state/cells.ts';
import type { Command } from '../state/commands.ts';
import type { Page } from '../state/page.ts';
import { shownLayersOf, setLayerShown, setLayersVisible } from '../state/layers.ts';
import { descriptionsOf, liesOver } from './layerDescriptions.ts';
import { listCandidates } from './stackLayers.ts';

export const LAYER_COMMANDS: readonly Command[] = [
  {
    id: 'view.layers',
    title: 'Show or hide layers of this image',
    group: 'View',
    keys: ['M'],
    run: (page) => void toggleLayers(page, cellsOf(page).getState().activeCell),
    isEnabled: (page) => candidatesOf(page, cellsOf(page).getState().activeCell).length > 0,
    isOn: (page) => {
      const { activeCell } = cellsOf(page).getState();
      return shownLayersOf(page, activeCell).areVisible && listPutOn(page, activeCell).length > 0;
    },
  },
];

/** Hides or shows the layers that are selected; if none is, selects all that lie over the images. */
async function toggleLayers(page: Page, cell: number): Promise<void> {
  if (listPutOn(page, cell).length > 0) {
    setLayersVisible(page, cell, !shownLayersOf(page, cell).areVisible);
    return;
  }
  const pictureId = pictureOf(page, cell)?.id;
  const candidates = candidatesOf(page, cell);
  const descriptions = descriptionsOf(page);
  // Loaded one after the other, because there may be many; each is shown as soon as it is loaded.
  for (const index of candidates) {
    if (descriptions.find(index) === undefined) await descriptions.load(index);
    const picture = pictureOf(page, cell);
    if (picture === undefined || picture.id !== pictureId) return;
    if (liesOver(page, index, picture)) setLayerShown(page, cell, index, true);
  }
}

function candidatesOf(page: Page, cell: number): number[] {
  const picture = pictureOf(page, cell);
  return picture === undefined ? [] : listCandidates(page, picture).map(({ index }) => index);
}

/** The selected layers among those that may lie over the images of the cell. */
function listPutOn(page: Page, cell: number): number[] {
  const { shown } = shownLayersOf(page, cell);
  return candidatesOf(page, cell).filter((index) => shown.includes(index));
}
