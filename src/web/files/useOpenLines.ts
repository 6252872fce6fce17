import { useMemo, useState } from 'react';
import { indexTree, listHeadings, type TreeIndex, type TreeNode } from '../series/treeNode.ts';
import { cellOf, cellsStore, stackOfCell, useCells } from '../state/cells.ts';

export type OpenLines = {
  readonly index: TreeIndex;
  /** Lines that are not as they are at first. */
  readonly toggled: ReadonlySet<string>;
  readonly toggle: (node: TreeNode) => void;
  readonly isAnyOpen: boolean;
  readonly collapseAll: () => void;
  readonly expandAll: () => void;
};

type Kept = {
  readonly toggled: ReadonlySet<string>;
  /** What lies above a series is opened once, when it is: from then on the user opens and closes. */
  readonly opened: { readonly stackId: string; readonly ids: ReadonlySet<string> } | undefined;
};

const AT_FIRST: Kept = { toggled: new Set(), opened: undefined };

/** Which lines of a tree are open. `tree` names it: each is kept as it was left, while another one is looked at. */
export function useOpenLines(tree: string, nodes: readonly TreeNode[]): OpenLines {
  const [trees, setTrees] = useState<ReadonlyMap<string, Kept>>(new Map());
  const { toggled, opened } = trees.get(tree) ?? AT_FIRST;
  const keep = (change: Partial<Kept>) =>
    setTrees((known) => new Map(known).set(tree, { ...(known.get(tree) ?? AT_FIRST), ...change }));

  const index = useMemo(() => indexTree(nodes), [nodes]);
  const headings = useMemo(() => listHeadings(nodes), [nodes]);
  const shownStack = useCells(({ cells, activeCell }) => cells[activeCell]?.stackId);
  const isNew = shownStack !== undefined && shownStack !== opened?.stackId;
  const path = isNew ? index.pathTo({ stackId: shownStack, fileIndex: findShownFile() }) : [];
  const wanted = path.at(-1);
  if (isNew && wanted !== undefined) {
    // A series stands for what is in it, and is left as it is.
    const above = path.filter(({ stackId }) => stackId === undefined);
    const closed = above.filter(({ id, isOpenAtFirst }) => isOpenAtFirst === toggled.has(id));
    // A file that was alone may have been taken into a series: what the user has closed by then stays closed.
    const isKnown = opened?.ids.has(wanted.id) === true;
    keep({
      toggled: isKnown ? toggled : toggleAll(toggled, closed),
      opened: { stackId: shownStack, ids: new Set(path.map(({ id }) => id)) },
    });
  }

  return {
    index,
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

function findShownFile(): number | undefined {
  const { activeCell } = cellsStore.getState();
  return stackOfCell(activeCell)?.frames[cellOf(activeCell).position]?.fileIndex;
}
