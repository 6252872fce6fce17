import { useState } from 'react';
import type { TreeNode } from '../../show/series/treeNode.ts';
import { cellOf, cellsOf, stackOfCell, useCells } from '../../kit/state/cells.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import type { ExplorerTree } from './useExplorerTree.ts';

export type OpenLines = {
  /** Rows whose open state differs from the initial one. */
  readonly toggled: ReadonlySet<string>;
  readonly toggle: (node: TreeNode) => void;
  readonly isAnyOpen: boolean;
  readonly collapseAll: () => void;
  readonly expandAll: () => void;
};

type Kept = {
  readonly toggled: ReadonlySet<string>;
  /** The rows above a series are opened once, when the series is. From then on the user opens and closes them. */
  readonly opened: { readonly stackId: string; readonly ids: ReadonlySet<string> } | undefined;
};

const AT_FIRST: Kept = { toggled: new Set(), opened: undefined };

/** Tracks which rows of a tree are open. The state of each view is kept while another one is shown. */
export function useOpenLines({ view, text, index, headings }: ExplorerTree): OpenLines {
  const page = usePage();
  // Opening and closing rows while a filter is set does not change the unfiltered tree.
  const tree = text === '' ? view : `${view}, filtered`;
  const [trees, setTrees] = useState<ReadonlyMap<string, Kept>>(new Map());
  const { toggled, opened } = trees.get(tree) ?? AT_FIRST;
  const keep = (change: Partial<Kept>) =>
    setTrees((known) => new Map(known).set(tree, { ...(known.get(tree) ?? AT_FIRST), ...change }));

  const shownStack = useCells(({ cells, activeCell }) => cells[activeCell]?.pictureId);
  const isNew = shownStack !== undefined && shownStack !== opened?.stackId;
  const path = isNew ? index.pathTo({ stackId: shownStack, fileIndex: findShownFile(page) }) : [];
  const wanted = path.at(-1);
  if (isNew && wanted !== undefined) {
    // A series represents its content, and is left as it is.
    const above = path.filter(({ stackId }) => stackId === undefined);
    const closed = above.filter(({ id, isOpenAtFirst }) => isOpenAtFirst === toggled.has(id));
    // A single file may have become part of a series: rows that the user has closed in the meantime stay closed.
    const isKnown = opened?.ids.has(wanted.id) === true;
    keep({
      toggled: isKnown ? toggled : toggleAll(toggled, closed),
      opened: { stackId: shownStack, ids: new Set(path.map(({ id }) => id)) },
    });
  }

  return {
    toggled,
    toggle: (node) => keep({ toggled: toggleAll(toggled, [node]) }),
    isAnyOpen: headings.some(({ id, isOpenAtFirst }) => isOpenAtFirst !== toggled.has(id)),
    collapseAll: () => keep({ toggled: new Set(headings.filter((node) => node.isOpenAtFirst).map(({ id }) => id)) }),
    // The stacks of a series are details: they stay closed.
    expandAll: () =>
      keep({
        toggled: new Set(
          headings.filter((node) => !node.isOpenAtFirst && node.stackId === undefined).map(({ id }) => id),
        ),
      }),
  };
}

function toggleAll(toggled: ReadonlySet<string>, nodes: readonly TreeNode[]): ReadonlySet<string> {
  const next = new Set(toggled);
  for (const { id } of nodes) if (!next.delete(id)) next.add(id);
  return next;
}

function findShownFile(page: Page): number | undefined {
  const { activeCell } = cellsOf(page).getState();
  return stackOfCell(page, activeCell)?.frames[cellOf(page, activeCell).position]?.fileIndex;
}
