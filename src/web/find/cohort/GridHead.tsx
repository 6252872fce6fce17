/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a table would lay out its rows itself; these are placed line by line */
import { ArrowDown, ArrowUp, Check } from 'lucide-react';
import { type DragEvent, Fragment, type PointerEvent, useState } from 'react';
import { VisuallyHidden } from '../../kit/ui/VisuallyHidden.tsx';
import { countSelected, type ColumnOrder } from './cohortQuery.ts';
import { describeColumn, describeReading } from './describeColumn.ts';
import { moveColumn, setColumnWidth, sortBy } from './gridActions.ts';
import type { GridColumn } from './gridColumns.ts';
import styles from './TableGrid.module.css';
import { selectAllRows, selectNone } from './query.ts';
import { CHECK_PX, type CohortGrid } from './useGrid.ts';

const DRAGGED = 'application/x-negato-column';

/** The headings, which stay in view. A click sorts; a heading is dragged to another place, and its edge to another width. */
export function GridHead({ grid }: { readonly grid: CohortGrid }) {
  const { page, query, rows, layout, columns, place } = grid;
  const isFocused = (column: number) => place.line < 0 && place.column === column;
  const count = countSelected(query.selected, rows.total);
  const areAll = rows.total > 0 && count >= rows.total;
  return (
    <div role="rowgroup" className={styles.head} style={{ width: CHECK_PX + (layout.lefts.at(-1) ?? 0) }}>
      <div role="row" aria-rowindex={1} data-line={-1} className={styles.headRow}>
        {/* The keys of the grid act on it. */}
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events */}
        <div
          role="columnheader"
          aria-colindex={1}
          data-column={0}
          className={styles.check}
          tabIndex={isFocused(0) ? 0 : -1}
          title={areAll ? 'Select none' : 'Select all'}
          onClick={() => (areAll ? selectNone(page) : selectAllRows(page))}
        >
          <span className={styles.box} data-state={areAll ? 'all' : count > 0 ? 'some' : 'none'}>
            {areAll && <Check size={12} aria-hidden="true" />}
          </span>
          <VisuallyHidden>{areAll ? 'Select none' : 'Select all'}</VisuallyHidden>
        </div>
        {columns.map((column) => {
          const shown = layout.columns[column];
          return (
            shown !== undefined && (
              <Fragment key={shown.name}>
                <Heading
                  grid={grid}
                  shown={shown}
                  column={column + 1}
                  leftPx={CHECK_PX + (layout.lefts[column] ?? 0)}
                  isFocused={isFocused(column + 1)}
                />
                <Edge
                  rightPx={CHECK_PX + (layout.lefts[column + 1] ?? 0)}
                  widthPx={shown.widthPx}
                  onWidth={(px) => setColumnWidth(page, shown.name, px)}
                />
              </Fragment>
            )
          );
        })}
      </div>
    </div>
  );
}

type HeadingProps = {
  readonly grid: CohortGrid;
  readonly shown: GridColumn;
  /** Its number among the columns of the grid. */
  readonly column: number;
  readonly leftPx: number;
  readonly isFocused: boolean;
};

function Heading({ grid, shown: { name, known, widthPx }, column, leftPx, isFocused }: HeadingProps) {
  const { page, query } = grid;
  const [isOver, setOver] = useState(false);
  const at = query.sort.findIndex((key) => key.column === name);
  const key = query.sort[at];
  const reading = describeReading(known);
  const onDragOver = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes(DRAGGED)) return;
    event.preventDefault();
    setOver(true);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const moved = event.dataTransfer.getData(DRAGGED);
    if (moved !== name) moveColumn(page, moved, column - 1);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="columnheader"
      aria-colindex={column + 1}
      aria-sort={key === undefined ? 'none' : key.isDescending ? 'descending' : 'ascending'}
      data-column={column}
      className={`${styles.heading} ${isOver ? styles.over : ''} ${known?.kind === 'number' ? styles.number : ''}`}
      style={{ left: leftPx, width: widthPx }}
      tabIndex={isFocused ? 0 : -1}
      title={describeColumn(name, known)}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAGGED, name);
        event.dataTransfer.effectAllowed = 'move';
      }}
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      onClick={(event) => {
        sortBy(page, name, event.shiftKey);
        grid.goTo({ line: -1, column });
      }}
    >
      <span className={styles.headingText}>{name}</span>
      {key !== undefined && <SortSign sort={key} place={query.sort.length > 1 ? at + 1 : undefined} />}
      {reading !== undefined && (
        <span className={styles.reading} data-state={known?.state}>
          {reading}
        </span>
      )}
    </div>
  );
}

function SortSign({ sort, place }: { readonly sort: ColumnOrder; readonly place: number | undefined }) {
  const Arrow = sort.isDescending ? ArrowDown : ArrowUp;
  return (
    <span className={styles.sort} aria-hidden="true">
      <Arrow size={13} />
      {place}
    </span>
  );
}

type EdgeProps = { readonly rightPx: number; readonly widthPx: number; readonly onWidth: (px: number) => void };

/** The right edge of a heading, for the pointer; keys: Shift and an arrow. */
function Edge({ rightPx, widthPx, onWidth }: EdgeProps) {
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const edge: HTMLElement = event.currentTarget;
    const fromX = event.clientX;
    const ended = new AbortController();
    const { signal } = ended;
    edge.setPointerCapture(event.pointerId);
    edge.addEventListener('pointermove', ({ clientX }) => onWidth(widthPx + clientX - fromX), { signal });
    edge.addEventListener('lostpointercapture', () => ended.abort(), { signal });
  };
  return (
    <span
      className={styles.edge}
      style={{ left: rightPx }}
      aria-hidden="true"
      onPointerDown={onPointerDown}
      // The heading grows under the pointer, and the browser would start to drag it.
      onMouseDown={(event) => event.preventDefault()}
    />
  );
}
