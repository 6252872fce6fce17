import { findFiles } from '../series/filterFiles.ts';
import { growFolderTree } from '../series/folderTree.ts';
import { growStudyTree } from '../series/studyTree.ts';
import { growTreeIndex, indexTree, type TreeIndex, type TreeNode } from '../series/treeNode.ts';
import { useLibrary } from '../state/library.ts';
import { usePage } from '../state/page.ts';
import type { ExplorerOrder } from '../state/panels.ts';
import type { Sliced } from '../ui/runInSlices.ts';
import { useInSlices } from '../ui/useInSlices.ts';

export type ExplorerTree = {
  readonly view: 'study' | 'folder';
  readonly nodes: readonly TreeNode[];
  readonly index: TreeIndex;
  /** The lines with children. */
  readonly headings: readonly TreeNode[];
  /** The filter that the nodes have passed. */
  readonly text: string;
  readonly shown: number;
};

export type ExplorerTreeOptions = {
  readonly view: 'study' | 'folder';
  readonly order: ExplorerOrder;
  readonly filter: string;
};

export function useExplorerTree({ view, order, filter }: ExplorerTreeOptions): ExplorerTree {
  const page = usePage();
  const files = useLibrary((library) => library.files);
  const stackOfFile = useLibrary((library) => library.stackOfFile);
  const isSeriesComplete = useLibrary((library) => library.isSeriesComplete);

  const tree = useInSlices(
    function* (): Sliced<ExplorerTree> {
      const found = yield* findFiles(files, filter);
      const nodes =
        view === 'study'
          ? yield* growStudyTree(page, found, { stackOfFile, isSeriesComplete }, order)
          : yield* growFolderTree(page, found, { order, areOpen: filter !== '' });
      return { view, nodes, ...(yield* growTreeIndex(nodes)), text: filter, shown: found.length };
    },
    [page, files, stackOfFile, isSeriesComplete, filter, view, order],
  );
  return tree ?? NO_TREE;
}

const NO_TREE: ExplorerTree = {
  view: 'study',
  nodes: [],
  index: indexTree([]),
  headings: [],
  text: '',
  shown: 0,
};
