import { libraryOf } from '../../kit/state/library.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { panelsOf } from '../../kit/state/panels.ts';
import { buildStudyTree } from './studyTree.ts';
import { listStacks } from './treeNode.ts';

/** The last list and what it was made from: with 100,000 files it takes longer to make than an image to draw. */
const orderedStacksOf = definePart(() => ({ from: [] as readonly unknown[], stacks: [] as readonly string[] }));

/** The ids of all stacks with a picture, in the order of the explorer. */
export function listStacksInOrder(page: Page): readonly string[] {
  const { files, stackOfFile, isSeriesComplete } = libraryOf(page).getState();
  const { explorerOrder } = panelsOf(page).getState();
  const known = orderedStacksOf(page);
  const from = [files, stackOfFile, isSeriesComplete, explorerOrder];
  if (from.some((input, at) => input !== known.from[at])) {
    known.from = from;
    known.stacks = listStacks(buildStudyTree(page, files, { stackOfFile, isSeriesComplete }, explorerOrder));
  }
  return known.stacks;
}
