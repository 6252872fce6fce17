import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { createThumbnails } from '../series/thumbnails.ts';
import { findAncestors, findPath, flattenTree, type TreeNode, type TreeRow as Row } from '../series/treeNode.ts';
import { cellOf, cellsStore, stackOfCell, useCells } from '../state/cells.ts';
import { useLibrary } from '../state/library.ts';
import { moveInTree } from '../ui/treeKeys.ts';
import { useVirtualRows } from '../ui/useVirtualRows.ts';
import { openNode } from './openNode.ts';
import { heightOf, TreeRow } from './TreeRow.tsx';
import styles from './Tree.module.css';

type Props = { readonly nodes: readonly TreeNode[]; readonly filter: string; readonly label: string };

export function Tree({ nodes, filter, label }: Props) {
  const treeId = useId();
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string>();
  const rows = useMemo(() => flattenTree(nodes, toggled), [nodes, toggled]);
  const measured = useMemo(() => rows.map(({ node }) => ({ key: node.id, height: heightOf(node) })), [rows]);
  const { scroller, totalPx, first, end, tops, reveal, scrollToTop } = useVirtualRows(measured);
  const shownStack = useCells(({ cells, activeCell }) => cells[activeCell]?.stackId);
  const ancestors = useMemo(
    () => (shownStack === undefined ? undefined : findAncestors(nodes, shownStack)),
    [nodes, shownStack],
  );
  const thumbnails = useThumbnails();
  /** What lies above a series is opened once, when it is: from then on the user opens and closes. */
  const [opened, setOpened] = useState<{ readonly stackId: string | undefined; readonly ids: ReadonlySet<string> }>();
  /** Each series is brought into view once, when it is opened: from then on the user scrolls. */
  const revealed = useRef<string>(undefined);

  const path = useMemo(
    () => (shownStack === undefined ? [] : findPath(nodes, { stackId: shownStack, fileIndex: findShownFile() })),
    [nodes, shownStack],
  );
  const wanted = path.at(-1);
  if (shownStack !== opened?.stackId && wanted !== undefined) {
    // A series stands for what is in it, and is left as it is.
    const headings = path.filter(({ stackId }) => stackId === undefined);
    const closed = headings.filter(({ id, isOpenAtFirst }) => isOpenAtFirst === toggled.has(id));
    // A file that was alone may have been taken into a series: what the user has closed by then stays closed.
    if (opened?.ids.has(wanted.id) !== true) setToggled(toggleAll(toggled, closed));
    setOpened({ stackId: shownStack, ids: new Set(path.map(({ id }) => id)) });
  }

  useEffect(() => {
    const openedRow = rows.findLastIndex(({ node }) => opened?.ids.has(node.id));
    if (openedRow < 0 || opened?.stackId === revealed.current) return;
    revealed.current = opened?.stackId;
    reveal(openedRow);
  }, [rows, reveal, opened]);

  useEffect(() => {
    if (filter !== '') scrollToTop();
  }, [scrollToTop, filter]);

  const isShown = ({ node, isOpen }: Row) =>
    shownStack !== undefined && (node.stackId === shownStack || (!isOpen && ancestors?.has(node.id) === true));
  const focusedRow = rows.findIndex(({ node }) => node.id === focused);

  const toggle = ({ node }: Row) => {
    setToggled((known) => toggleAll(known, [node]));
  };
  const act = (row: Row) => {
    setFocused(row.node.id);
    if (row.node.stackId === undefined) toggle(row);
    else openNode(row.node);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[focusedRow];
    if (row !== undefined && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      act(row);
      return;
    }
    const step = moveInTree(rows, focusedRow, event.key);
    if (step === undefined) return;
    event.preventDefault();
    if (step.kind === 'toggle' && row !== undefined) toggle(row);
    if (step.kind === 'go') {
      setFocused(rows[step.row]?.node.id);
      reveal(step.row);
    }
  };
  const isDrawn = focusedRow >= first && focusedRow < end;
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="tree"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a tree takes the focus for its lines
      tabIndex={0}
      aria-activedescendant={isDrawn ? `${treeId}-${focusedRow}` : undefined}
      onKeyDown={onKeyDown}
      onFocus={() => setFocused((known) => known ?? rows[0]?.node.id)}
    >
      <div role="none" className={styles.sizer} style={{ height: totalPx }}>
        {rows.slice(first, end).map((row, i) => (
          <TreeRow
            key={row.node.id}
            id={`${treeId}-${first + i}`}
            row={row}
            topPx={tops[first + i] ?? 0}
            isShown={isShown(row)}
            isFocused={row.node.id === focused}
            thumbnails={thumbnails}
            onOpen={() => act(row)}
            onToggle={() => toggle(row)}
          />
        ))}
      </div>
    </div>
  );
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

/** Of this run of the server: another one gives its files other numbers. */
function useThumbnails() {
  const serverRuns = useLibrary((library) => library.serverRuns);
  // oxlint-disable-next-line react/exhaustive-deps -- another run needs others
  const thumbnails = useMemo(() => createThumbnails(), [serverRuns]);
  useEffect(() => () => thumbnails.clear(), [thumbnails]);
  return thumbnails;
}
