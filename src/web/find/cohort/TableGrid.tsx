/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a table would lay out its rows itself; these are placed line by line */
import { type KeyboardEvent, type MouseEvent, useState } from 'react';
import type { Point } from '../../kit/state/viewState.ts';
import { toggleGroup } from './closedGroups.ts';
import { isSelected } from './cohortQuery.ts';
import { nameGroup } from './formatCell.ts';
import { GridHead } from './GridHead.tsx';
import { GridMenu, type GridMenuOf } from './GridMenu.tsx';
import { actByKey } from './gridKeys.ts';
import type { GridPlace } from './moveInGrid.ts';
import { openRow } from './openRow.ts';
import { selectByPointer, toggleLine } from './selectLines.ts';
import { showDiffering } from './showDiffering.ts';
import styles from './TableGrid.module.css';
import { GroupLine, TableLine } from './TableLine.tsx';
import { CHECK_PX, type CohortGrid, GRID_LINE_PX } from './useGrid.ts';

/** Lines are placed within blocks of so many, so that they keep their places while the list is scrolled. */
const BLOCK = 64;

/** The rows of the query. Only those on the screen are drawn. */
export function TableGrid({ grid }: { readonly grid: CohortGrid }) {
  const { query, rows, lines, layout, columns, visible, first, end, place, scroller } = grid;
  const [menu, setMenu] = useState<{ readonly of: GridMenuOf; readonly at: Point }>();
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.defaultPrevented && actByKey(grid, event)) event.preventDefault();
  };
  const onContextMenu = (event: MouseEvent) => {
    const of = findMenu(grid, event);
    if (of === undefined) return;
    event.preventDefault();
    setMenu({ of, at: pointOf(event) });
  };
  const base = Math.floor(first / BLOCK) * BLOCK;
  return (
    <>
      <div
        className={styles.grid}
        role="grid"
        aria-label="Table"
        aria-rowcount={lines.count + 1}
        aria-colcount={query.columns.length + 1}
        aria-multiselectable="true"
        aria-busy={rows.isLoading}
        onKeyDown={onKeyDown}
        // The cells have the focus.
        tabIndex={-1}
      >
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events */}
        <div
          ref={scroller}
          className={styles.scroller}
          role="presentation"
          onClick={(event) => act(grid, event)}
          onDoubleClick={(event) => openAt(grid, event)}
          onContextMenu={onContextMenu}
        >
          <GridHead grid={grid} />
          <div
            role="rowgroup"
            className={styles.sizer}
            style={{ height: grid.heightPx, width: CHECK_PX + (layout.lefts.at(-1) ?? 0) }}
          >
            <div role="presentation" className={styles.block} style={{ top: base * GRID_LINE_PX - grid.shiftPx }}>
              {visible.map((line) => {
                const found = lines.lineAt(line);
                const drawn = {
                  line,
                  topPx: (line - base) * GRID_LINE_PX,
                  isOutside: line < first || line >= end,
                  focused: line === place.line ? place.column : undefined,
                };
                if (found.kind === 'group') {
                  const group = rows.groups?.[found.group];
                  const title = `${rows.query.group}: ${nameGroup(group)}`;
                  const span = query.columns.length + 1;
                  return (
                    <GroupLine
                      key={line}
                      {...drawn}
                      title={title}
                      count={group?.count ?? 0}
                      isOpen={found.isOpen}
                      span={span}
                    />
                  );
                }
                const row = rows.rowAt(found.row);
                return (
                  <TableLine
                    key={line}
                    {...drawn}
                    row={row}
                    names={rows.query.columns}
                    isSelected={row !== undefined && isSelected(query.selected, row.id)}
                    layout={layout}
                    columns={columns}
                  />
                );
              })}
            </div>
          </div>
        </div>
      </div>
      {menu !== undefined && <GridMenu grid={grid} of={menu.of} at={menu.at} onClose={() => setMenu(undefined)} />}
    </>
  );
}

/** The cell that an event is about; beside the cells of a line, that of the column which has the focus. */
function placeOf(grid: CohortGrid, { target }: MouseEvent): GridPlace | undefined {
  if (!(target instanceof Element)) return undefined;
  const line = target.closest<HTMLElement>('[data-line]')?.dataset['line'];
  const column = target.closest<HTMLElement>('[data-column]')?.dataset['column'];
  return line === undefined ? undefined : { line: Number(line), column: Number(column ?? grid.place.column) };
}

function isOnCheck({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest('[data-column="0"]') !== null;
}

function isOnVarying({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest('[data-varying]') !== null;
}

/** A click below the headings. */
function act(grid: CohortGrid, event: MouseEvent): void {
  const at = placeOf(grid, event);
  if (at === undefined || at.line < 0) return;
  const { page, lines, rows } = grid;
  grid.goTo(at);
  const line = lines.lineAt(at.line);
  const row = grid.rowOf(at.line);
  const name = grid.nameOf(at.column);
  if (line.kind === 'group') {
    const group = rows.groups?.[line.group];
    if (group !== undefined) toggleGroup(page, rows.query.group, group);
  } else if (row === undefined) return;
  else if (name !== undefined && isOnVarying(event)) showDiffering(page, rows.query.level, row, name);
  else if (isOnCheck(event) && !event.shiftKey) toggleLine(grid, row, at.line);
  else void selectByPointer(grid, row, at.line, event);
}

function openAt(grid: CohortGrid, event: MouseEvent): void {
  const at = placeOf(grid, event);
  const row = at && grid.rowOf(at.line);
  const isChoosing = event.ctrlKey || event.metaKey || event.shiftKey || isOnCheck(event);
  if (row !== undefined && !isChoosing) void openRow(grid.page, grid.rows.query.level, row);
}

function findMenu(grid: CohortGrid, event: MouseEvent): GridMenuOf | undefined {
  const at = placeOf(grid, event);
  const name = at && grid.nameOf(at.column);
  if (at === undefined) return undefined;
  if (at.line < 0) return name === undefined ? undefined : { kind: 'heading', name };
  const row = grid.rowOf(at.line);
  if (row === undefined) return undefined;
  grid.goTo(at);
  return { kind: 'row', row, name };
}

/** Where a menu opens: at the pointer, or below the cell if a key has opened it. */
function pointOf({ clientX, clientY, button, target }: MouseEvent): Point {
  const box = target instanceof Element ? target.getBoundingClientRect() : undefined;
  const isPointed = button === 2 || box === undefined;
  return isPointed ? { x: clientX, y: clientY } : { x: box.left + 12, y: box.bottom };
}
