import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useId, useMemo } from 'react';
import { moveInTree, type TreeViewRow } from './treeKeys.ts';
import styles from './TreeView.module.css';
import { useVirtualRows } from './useVirtualRows.ts';
import { whenReleased } from './whenReleased.ts';

type Props<Row extends TreeViewRow> = {
  readonly label: string;
  readonly rows: readonly Row[];
  /** Key of the selected row. */
  readonly selected: string | undefined;
  /** The rows are outdated and about to be replaced. */
  readonly isStale: boolean;
  readonly onSelect: (row: Row) => void;
  /** Called on a click, Enter or Space. */
  readonly onAct: (row: Row) => void;
  readonly onToggle: (row: Row) => void;
  /** Called on a right click, or on the menu key for the selected row. */
  readonly onMenu?: (row: Row, at: { readonly x: number; readonly y: number }) => void;
  readonly children: (row: Row) => ReactNode;
  /** Height of a row; one line if absent. */
  readonly rowPx?: number;
  /** Shown if there are no rows. */
  readonly empty?: ReactNode;
};

const ROW_PX = 23;

/** A tree that renders only its visible rows. The tree element has the focus for all of them. */
export function TreeView<Row extends TreeViewRow>({ label, rows, selected, isStale, ...props }: Props<Row>) {
  const { onSelect, onAct, onToggle, onMenu, children, rowPx = ROW_PX, empty } = props;
  const treeId = useId();
  const measured = useMemo(() => rows.map(({ key }) => ({ key, height: rowPx })), [rows, rowPx]);
  const { scroller, totalPx, first, end, tops, reveal } = useVirtualRows(measured);
  const current = rows.findIndex(({ key }) => key === selected);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[current];
    if (row !== undefined && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      onAct(row);
      return;
    }
    const step = moveInTree(rows, current, event.key);
    if (step === undefined) return;
    event.preventDefault();
    if (step.kind === 'toggle' && row !== undefined) onToggle(row);
    const next = step.kind === 'go' ? rows[step.row] : undefined;
    if (step.kind !== 'go' || next === undefined) return;
    onSelect(next);
    reveal(step.row);
  };
  /** Opens the menu by keyboard. Rows handle right clicks themselves. */
  const openMenuByKey = (event: MouseEvent) => {
    const row = rows[current];
    if (row === undefined || onMenu === undefined || event.defaultPrevented) return;
    event.preventDefault();
    const { left = 0, bottom = 0 } = document.getElementById(`${treeId}-${current}`)?.getBoundingClientRect() ?? {};
    onMenu(row, { x: left + 24, y: bottom });
  };
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label={label}
      aria-busy={isStale}
      className={`${styles.scroller} ${isStale ? styles.stale : ''}`}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the tree has the focus for its rows
      tabIndex={0}
      aria-activedescendant={current >= first && current < end ? `${treeId}-${current}` : undefined}
      onKeyDown={onKeyDown}
      onContextMenu={openMenuByKey}
    >
      {rows.length === 0 && empty}
      <div role="none" className={styles.sizer} style={{ height: totalPx }}>
        {rows.slice(first, end).map((row, i) => (
          // The tree element handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={row.key}
            id={`${treeId}-${first + i}`}
            role="treeitem"
            className={styles.row}
            style={{ top: tops[first + i] ?? 0, height: rowPx, paddingLeft: 4 + (row.level - 1) * 10 }}
            aria-level={row.level}
            aria-selected={row.key === selected}
            aria-expanded={row.hasChildren ? row.isOpen : undefined}
            onClick={() => onAct(row)}
            onContextMenu={(event) => {
              if (onMenu === undefined) return;
              event.preventDefault();
              const at = { x: event.clientX, y: event.clientY };
              whenReleased(event, () => onMenu(row, at));
            }}
          >
            <span className={styles.chevron} aria-hidden="true">
              {row.hasChildren && <ChevronRight size={13} className={row.isOpen ? styles.open : undefined} />}
            </span>
            {children(row)}
          </div>
        ))}
      </div>
    </div>
  );
}
