import { useDeferredValue, useMemo } from 'react';
import { filterFiles } from '../series/filterFiles.ts';
import { buildFolderTree } from '../series/folderTree.ts';
import { buildStudyTree } from '../series/studyTree.ts';
import type { TreeNode } from '../series/treeNode.ts';
import { useLibrary } from '../state/library.ts';
import { usePage } from '../state/page.ts';
import type { ExplorerOrder } from '../state/panels.ts';

export type ExplorerTree = {
  readonly nodes: readonly TreeNode[];
  /** The filter that the nodes have passed. */
  readonly text: string;
  readonly shown: number;
  readonly total: number;
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
  const text = useDeferredValue(filter);

  return useMemo(() => {
    const found = filterFiles(files, text);
    const nodes =
      view === 'study'
        ? buildStudyTree(page, found, { stackOfFile, isSeriesComplete }, order)
        : buildFolderTree(page, found, { order, areOpen: text !== '' });
    return { nodes, text, shown: found.length, total: files.length };
  }, [page, files, stackOfFile, isSeriesComplete, text, view, order]);
}
