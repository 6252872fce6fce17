import { cellsOf, stackOfCell } from '../../state/cells.ts';
import type { Command } from '../../state/commands.ts';
import type { Page } from '../../state/page.ts';
import { shownLayersOf, setLayerShown, setLayersVisible } from '../../state/layers.ts';
import { liesOver, listCandidates } from './stackSegmentations.ts';
import { summariesOf } from './summaries.ts';

export const SEGMENTATION_COMMANDS: readonly Command[] = [
  {
    id: 'view.segmentations',
    title: 'Segmentations of this image on or off',
    group: 'View',
    keys: ['M'],
    run: (page) => void toggleSegmentations(page, cellsOf(page).getState().activeCell),
    isEnabled: (page) => candidatesOf(page, cellsOf(page).getState().activeCell).length > 0,
    isOn: (page) => {
      const { activeCell } = cellsOf(page).getState();
      return shownLayersOf(page, activeCell).areVisible && listPutOn(page, activeCell).length > 0;
    },
  },
];

/** Hides or shows the segmentations that are selected; if none is, selects all that lie over the images. */
async function toggleSegmentations(page: Page, cell: number): Promise<void> {
  if (listPutOn(page, cell).length > 0) {
    setLayersVisible(page, cell, !shownLayersOf(page, cell).areVisible);
    return;
  }
  const stackId = stackOfCell(page, cell)?.id;
  const candidates = candidatesOf(page, cell);
  const summaries = summariesOf(page);
  // Loaded one after the other, because there may be many; each is shown as soon as it is loaded.
  for (const index of candidates) {
    if (summaries.find(index) === undefined) await summaries.load(index);
    const stack = stackOfCell(page, cell);
    if (stack === undefined || stack.id !== stackId) return;
    if (liesOver(page, index, stack)) setLayerShown(page, cell, index, true);
  }
}

function candidatesOf(page: Page, cell: number): number[] {
  const stack = stackOfCell(page, cell);
  return stack === undefined ? [] : listCandidates(page, stack).map(({ index }) => index);
}

/** The selected segmentations among those that may lie over the images of the cell. */
function listPutOn(page: Page, cell: number): number[] {
  const { shown } = shownLayersOf(page, cell);
  return candidatesOf(page, cell).filter((index) => shown.includes(index));
}
