import { type KeyboardEvent, type MouseEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import {
  findSeen,
  growLines,
  indexTree,
  type TreeIndex,
  type TreeLine,
  type TreeNode,
} from '../../show/series/treeNode.ts';
import { usePage } from '../../kit/state/page.ts';
import { usePanels } from '../../kit/state/panels.ts';
import type { Point } from '../../kit/state/viewState.ts';
import type { Sliced } from '../../kit/ui/runInSlices.ts';
import { moveInTree } from '../../kit/ui/treeKeys.ts';
import { useInSlices } from '../../kit/ui/useInSlices.ts';
import { usePlacedRows } from '../../kit/ui/useVirtualRows.ts';
import { placeRows, type ListPlaces } from '../../kit/ui/virtualRows.ts';
import { openStudy } from '../studies/openStudy.ts';
import { openNode } from './openNode.ts';
import { RowMenu } from './RowMenu.tsx';
import { layOutRow, TreeRow } from './TreeRow.tsx';
import styles from './Tree.module.css';
import { useShown } from './useShown.ts';

type Lines = {
  readonly nodes: readonly TreeNode[];
  readonly index: TreeIndex;
  readonly toggled: ReadonlySet<string>;
  readonly filter: string;
};

type Props = Lines & {
  readonly label: string;
  /** Another tree is being built. */
  readonly isStale: boolean;
  readonly onToggle: (node: TreeNode) => void;
};

export function Tree({ label, isStale, onToggle, ...wanted }: Props) {
  const page = usePage();
  const treeId = useId();
  const [focused, setFocused] = useState<string>();
  const [menu, setMenu] = useState<{ readonly node: TreeNode; readonly at: Point }>();
  const widthPx = usePanels((panels) => panels.explorerWidthPx);
  const { nodes, index: wantedIndex, toggled: wantedToggles, filter: wantedFilter } = wanted;
  const lines = useInSlices(
    () => layOutLines({ nodes, index: wantedIndex, toggled: wantedToggles, filter: wantedFilter }, widthPx),
    [nodes, wantedIndex, wantedToggles, wantedFilter, widthPx],
  );
  // Of the lines that are shown, while those of a large tree are still being laid out.
  const { rows, places, index, toggled, filter, widthPx: laidOutPx } = lines ?? NO_LINES;
  const { scroller, totalPx, first, end, tops, shiftPx, reveal, scrollToTop } = usePlacedRows(places);
  const { active, others } = useShown();
  const lit = active && findSeen(index.pathTo(active), toggled)?.id;
  const alsoLit = new Set(others.map((shown) => findSeen(index.pathTo(shown), toggled)?.id));
  const [isByKeyboard, setByKeyboard] = useState(false);

  /** What was last scrolled into view. From then on the user scrolls. */
  const revealed = useRef<{ readonly lit: string | undefined; readonly stackId: string | undefined; filter: string }>(
    undefined,
  );
  useEffect(() => {
    const before = revealed.current;
    revealed.current = { lit, stackId: active?.stackId, filter };
    if (filter !== '') {
      if (filter !== before?.filter) scrollToTop();
      return;
    }
    const isCleared = before !== undefined && before.filter !== '';
    if (lit === undefined || (lit === before?.lit && !isCleared)) return;
    // While the user scrolls through images, the list shows where they are, unless the pointer is over the list.
    const isHovered = scroller.current?.matches(':hover') === true;
    if (isHovered && !isCleared && before?.stackId === active?.stackId) return;
    reveal(rows.findIndex(({ node }) => node.id === lit));
  }, [rows, lit, active?.stackId, filter, reveal, scrollToTop, scroller]);

  const focusedRow = useMemo(
    () => (focused === undefined ? -1 : rows.findIndex(({ node }) => node.id === focused)),
    [rows, focused],
  );
  const act = ({ node }: TreeLine) => {
    setFocused(node.id);
    if (node.stackId === undefined) onToggle(node);
    else openNode(page, node);
  };
  const openMenu = (node: TreeNode, at: Point) => {
    setFocused(node.id);
    setMenu({ node, at });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // After a click, keys still go to the image. They control the tree if it got the focus by keyboard.
    if (!isByKeyboard || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[focusedRow];
    if (row !== undefined && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      const { studyUid } = row.node;
      if (studyUid !== undefined && event.key === 'Enter') void openStudy(page, studyUid);
      else act(row);
      return;
    }
    const step = moveInTree(rows, focusedRow, event.key);
    if (step === undefined) return;
    event.preventDefault();
    if (step.kind === 'toggle' && row !== undefined) onToggle(row.node);
    if (step.kind === 'go') {
      setFocused(rows[step.row]?.node.id);
      reveal(step.row);
    }
  };
  /** Opens the menu by keyboard. Rows handle right clicks themselves. */
  const onContextMenu = (event: MouseEvent) => {
    const row = rows[focusedRow];
    if (row === undefined || event.defaultPrevented) return;
    event.preventDefault();
    const { left = 0, bottom = 0 } = document.getElementById(`${treeId}-${focusedRow}`)?.getBoundingClientRect() ?? {};
    openMenu(row.node, { x: left + 24, y: bottom });
  };
  const isDrawn = focusedRow >= first && focusedRow < end;
  return (
    <>
      <div
        ref={scroller}
        className={styles.scroller}
        role="tree"
        aria-label={label}
        aria-busy={isStale || toggled !== wantedToggles || index !== wantedIndex}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the tree has the focus for its rows
        tabIndex={0}
        aria-activedescendant={isDrawn ? `${treeId}-${focusedRow}` : undefined}
        onKeyDown={onKeyDown}
        onContextMenu={onContextMenu}
        onPointerDown={() => setByKeyboard(false)}
        onFocus={({ currentTarget }) => {
          setByKeyboard(currentTarget.matches(':focus-visible'));
          setFocused((known) => known ?? lit ?? rows[0]?.node.id);
        }}
        onBlur={() => setByKeyboard(false)}
      >
        <div role="none" className={styles.sizer} style={{ height: totalPx }}>
          {rows.slice(first, end).map((row, i) => (
            <TreeRow
              key={row.node.id}
              id={`${treeId}-${first + i}`}
              row={row}
              topPx={(tops[first + i] ?? 0) - shiftPx}
              layout={layOutRow(row, laidOutPx)}
              isShown={row.node.id === lit}
              isShownElsewhere={row.node.id !== lit && alsoLit.has(row.node.id)}
              isFocused={isByKeyboard && row.node.id === focused}
              onOpen={() => act(row)}
              onToggle={() => onToggle(row.node)}
              onOpenStudy={() => row.node.studyUid !== undefined && void openStudy(page, row.node.studyUid)}
              onMenu={(at) => openMenu(row.node, at)}
            />
          ))}
        </div>
      </div>
      {menu !== undefined && <RowMenu node={menu.node} at={menu.at} onClose={() => setMenu(undefined)} />}
    </>
  );
}

type LaidOutLines = Omit<Lines, 'nodes'> & {
  readonly rows: readonly TreeLine[];
  readonly places: ListPlaces;
  readonly widthPx: number;
};

function* layOutLines({ nodes, ...of }: Lines, widthPx: number): Sliced<LaidOutLines> {
  const rows = yield* growLines(nodes, of.toggled);
  const tops = yield* placeRows(rows, (row) => layOutRow(row, widthPx).heightPx);
  return { rows, places: { count: rows.length, keyOf: (row) => rows[row]?.node.id, tops }, widthPx, ...of };
}

const NO_LINES: LaidOutLines = {
  rows: [],
  places: { count: 0, keyOf: () => undefined, tops: new Float64Array(1) },
  widthPx: 0,
  index: indexTree([]),
  toggled: new Set(),
  filter: '',
};
