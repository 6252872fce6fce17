import type { FileRecord } from '../../../shared/contract/files.ts';
import { LAYER_OBJECTS } from '../../../shared/contract/layers.ts';
import type { TreeNode } from '../../show/series/treeNode.ts';
import { activateCell, cellOf, cellsOf, openAtStart } from '../../kit/state/cells.ts';
import { showCells } from '../../kit/state/cohortPlace.ts';
import { layerNameOf, opensOverImages } from '../../kit/state/layers.ts';
import { findFile, findStack } from '../../kit/state/library.ts';
import { loadChunk } from '../../kit/state/loadChunk.ts';
import type { Page } from '../../kit/state/page.ts';
import { areDrawers, panelsOf, setPanels } from '../../kit/state/panels.ts';
import { isPresentation } from '../../kit/state/presentations.ts';
import { visibleCells } from '../../show/pictures/shownFrame.ts';

/** Shows what a row represents in the given cell, or else in the next one. */
export function openNode(
  page: Page,
  { stackId, fileIndex }: Pick<TreeNode, 'stackId' | 'fileIndex'>,
  cell?: number,
): void {
  const stack = findStack(page, stackId);
  if (stack === undefined) return;
  showCells(page);
  const target = cell ?? nextCell(page);
  if (cell === undefined) activateCell(page, target);
  const file = findFile(page, stack.fileIndex);
  // A report is read first, and key objects are seen side by side first; their images are opened from there.
  if (file !== undefined && isReadFirst(file)) openAtStart(page, target, stack, file);
  else if (file !== undefined && opensOverImages(file)) void openOverImages(page, file.index, target);
  else if (file !== undefined && isPresentation(file)) void openImages(page, file.index, target);
  else openAtStart(page, target, stack, findFile(page, fileIndex));
  // On narrow pages the explorer covers the image that the user has opened.
  if (cell === undefined && areDrawers()) setPanels(page, { isExplorerOpen: false });
}

/** The active cell; for users who compare an empty one, so that the series that they have opened before stays. */
function nextCell(page: Page): number {
  const { activeCell } = cellsOf(page).getState();
  if (panelsOf(page).getState().task !== 'compare') return activeCell;
  const isEmpty = (cell: number) => cellOf(page, cell).pictureId === undefined;
  return [activeCell, ...visibleCells(page)].find(isEmpty) ?? activeCell;
}

/** Shows the images that a presentation state or key object selection names. */
export async function openImages(page: Page, fileIndex: number, cell: number): Promise<void> {
  const { openPresentation } = await loadChunk(page, () => import('../../over/presentation/openPresentation.ts'));
  await openPresentation(page, fileIndex, cell);
}

/** Whether a file that is about images opens as a document: its content matters more than what it does to them. */
export function isReadFirst(file: FileRecord): boolean {
  const name = layerNameOf(file);
  return (name !== undefined && LAYER_OBJECTS[name].isReadFirst) || file.object_kind === 'key_object_selection';
}

/** Shows the layer of a file over the images that it lies over. */
async function openOverImages(page: Page, fileIndex: number, cell: number): Promise<void> {
  const { openOverTarget } = await loadChunk(page, () => import('./openOverChunk.ts'));
  await openOverTarget(page, fileIndex, cell);
}
