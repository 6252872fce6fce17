import { useEffect } from 'react';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { growFolderTree } from '../../show/series/folderTree.ts';
import { growStudyTree } from '../../show/series/studyTree.ts';
import { growTreeIndex, indexTree, type TreeIndex, type TreeNode } from '../../show/series/treeNode.ts';
import { useListedFiles, listedFilesOf } from '../../kit/state/listedFiles.ts';
import { useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import type { ExplorerOrder } from '../../kit/state/panels.ts';
import type { Sliced } from '../../kit/ui/runInSlices.ts';
import { useInSlices } from '../../kit/ui/useInSlices.ts';
import { findByFilter } from './findByFilter.ts';

export type ExplorerTree = {
  readonly view: 'study' | 'folder';
  readonly nodes: readonly TreeNode[];
  readonly index: TreeIndex;
  /** The lines with children. */
  readonly headings: readonly TreeNode[];
  /** The filter that the nodes have passed. */
  readonly text: string;
  /** Why no file has passed it, or why it is no condition. */
  readonly note: string | undefined;
  readonly shown: number;
  /** How many files there were to choose from. */
  readonly total: number;
  /** Another tree is being built, because the filter, the order or the files have changed. */
  readonly isStale: boolean;
};

type BuiltTree = Omit<ExplorerTree, 'isStale'>;

export type ExplorerTreeOptions = {
  readonly view: 'study' | 'folder';
  readonly order: ExplorerOrder;
  readonly filter: string;
};

export function useExplorerTree({ view, order, filter }: ExplorerTreeOptions): ExplorerTree {
  const page = usePage();
  const { files, stackOfFile, isSeriesComplete } = useListedFiles();
  const gone = useLibrary(({ summary }) => summary?.gone ?? NONE_GONE);
  const inputs = [page, files, gone, stackOfFile, isSeriesComplete, filter, view, order];

  const built = useInSlices(function* (): Sliced<{ readonly tree: BuiltTree; readonly from: readonly unknown[] }> {
    const { files: passed, note } = yield* findByFilter(files, filter);
    const found = withoutGone(passed, gone);
    const nodes =
      view === 'study'
        ? yield* growStudyTree(page, found, { stackOfFile, isSeriesComplete }, order)
        : yield* growFolderTree(page, found, { order, areOpen: filter !== '', stackOfFile });
    const indexed = yield* growTreeIndex(nodes);
    const counts = { shown: found.length, total: files.length - gone.length };
    const tree = { view, nodes, ...indexed, text: filter, note, ...counts };
    return { tree, from: inputs };
  }, inputs);
  const isStale = built === undefined || built.from.some((input, at) => input !== inputs[at]);

  useEffect(() => {
    if (!isStale) return undefined;
    return listedFilesOf(page).hold();
  }, [page, isStale]);

  return { ...(built?.tree ?? NO_TREE), isStale };
}

const NONE_GONE: readonly number[] = [];

/** Files that have vanished or been replaced are not listed any more. */
function withoutGone(files: readonly FileRecord[], gone: readonly number[]): readonly FileRecord[] {
  if (gone.length === 0) return files;
  const indices = new Set(gone);
  return files.filter(({ index }) => !indices.has(index));
}

const NO_TREE: BuiltTree = {
  view: 'study',
  nodes: [],
  index: indexTree([]),
  headings: [],
  text: '',
  note: undefined,
  shown: 0,
  total: 0,
};
