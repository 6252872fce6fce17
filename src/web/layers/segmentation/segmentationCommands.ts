import { cellsStore, stackOfCell } from '../../state/cells.ts';
import type { Command } from '../../state/commands.ts';
import type { Page } from '../../state/page.ts';
import { segmentationsOf, setSegmentationShown, setSegmentationsVisible } from '../../state/segmentations.ts';
import { liesOver, listCandidates } from './stackSegmentations.ts';
import { summariesOf } from './summaries.ts';

export const SEGMENTATION_COMMANDS: readonly Command[] = [
  {
    id: 'view.segmentations',
    title: 'Segmentations of this image on or off',
    group: 'View',
    keys: ['M'],
    run: (page) => void toggleSegmentations(page, cellsStore.getState().activeCell),
    isEnabled: () => candidatesOf(cellsStore.getState().activeCell).length > 0,
    isOn: () => {
      const { activeCell } = cellsStore.getState();
      return segmentationsOf(activeCell).areVisible && listPutOn(activeCell).length > 0;
    },
  },
];

/** Hides or shows the segmentations that are selected; if none is, selects all that lie over the images. */
async function toggleSegmentations(page: Page, cell: number): Promise<void> {
  if (listPutOn(cell).length > 0) {
    setSegmentationsVisible(cell, !segmentationsOf(cell).areVisible);
    return;
  }
  const stackId = stackOfCell(cell)?.id;
  const candidates = candidatesOf(cell);
  const summaries = summariesOf(page);
  // Loaded one after the other, because there may be many; each is shown as soon as it is loaded.
  for (const index of candidates) {
    if (summaries.find(index) === undefined) await summaries.load(index);
    const stack = stackOfCell(cell);
    if (stack === undefined || stack.id !== stackId) return;
    if (liesOver(page, index, stack)) setSegmentationShown(cell, index, true);
  }
}

function candidatesOf(cell: number): number[] {
  const stack = stackOfCell(cell);
  return stack === undefined ? [] : listCandidates(stack).map(({ index }) => index);
}

/** The selected segmentations among those that may lie over the images of the cell. */
function listPutOn(cell: number): number[] {
  const { shown } = segmentationsOf(cell);
  return candidatesOf(cell).filter((index) => shown.includes(index));
}
