import type { TreeNode } from '../series/treeNode.ts';
import { cellsStore, openAtStart } from '../state/cells.ts';
import { findFile, findStack } from '../state/library.ts';
import { loadPart } from '../state/missingParts.ts';
import type { Page } from '../state/page.ts';
import { setPanels } from '../state/panels.ts';

/** Shows in a cell, the active one if none is named, what the line stands for. */
export function openNode(
  page: Page,
  { stackId, fileIndex }: Pick<TreeNode, 'stackId' | 'fileIndex'>,
  cell?: number,
): void {
  const stack = findStack(stackId);
  if (stack === undefined) return;
  const target = cell ?? cellsStore.getState().activeCell;
  const file = findFile(stack.fileIndex);
  if (file?.object_kind === 'segmentation') void openSegmentation(page, file.index, target);
  else openAtStart(target, stack, findFile(fileIndex));
  // There the explorer lies over the image that was asked for.
  if (cell === undefined && matchMedia('(max-width: 799px)').matches) setPanels({ isExplorerOpen: false });
}

async function openSegmentation(page: Page, fileIndex: number, cell: number): Promise<void> {
  const { openOverSource } = await loadPart(() => import('../segmentation/openOverSource.ts'));
  await openOverSource(page, fileIndex, cell);
}
