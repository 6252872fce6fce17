import type { KeyboardEvent } from 'react';
import type { WireTableRow } from '../../../shared/contract/tables.ts';
import { say } from '../../kit/state/messages.ts';
import { toggleGroup } from './closedGroups.ts';
import { formatColumnValue, formatVarying, isVarying } from './formatCell.ts';
import { hideColumn, moveColumn, sortBy, widenColumn } from './gridActions.ts';
import { type GridPlace, moveInGrid } from './moveInGrid.ts';
import { openRow } from './openRow.ts';
import { selectAllRows } from './query.ts';
import { selectRange, toggleLine } from './selectLines.ts';
import { showDiffering } from './showDiffering.ts';
import { type CohortGrid, GRID_HEAD_PX, GRID_LINE_PX } from './useGrid.ts';

const WIDER_PX = 16;

/** What a key does in the table. False if it does nothing. */
export function actByKey(grid: CohortGrid, event: KeyboardEvent): boolean {
  const { page, lines, place } = grid;
  if (place.line < 0 ? actOnHead(grid, event) : actOnLine(grid, event)) return true;
  if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) {
    selectAllRows(page);
    return true;
  }
  if (event.altKey) return false;
  const next = moveInGrid(place, event, {
    lines: lines.count,
    columns: grid.query.columns.length + 1,
    pageLines: countPageLines(grid),
  });
  if (next === undefined) return false;
  move(grid, next, event.shiftKey);
  return true;
}

function move(grid: CohortGrid, next: GridPlace, isExtended: boolean): void {
  const { line } = grid.place;
  grid.goTo(next);
  if (!isExtended || next.line === line || next.line < 0) grid.anchor.current = Math.max(0, next.line);
  else void selectRange(grid, grid.anchor.current, next.line);
}

/** Whole lines on the screen but one, so that a reader sees where the next page begins. */
function countPageLines({ scroller }: CohortGrid): number {
  return Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - GRID_HEAD_PX) / GRID_LINE_PX) - 1);
}

function actOnLine(grid: CohortGrid, { key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  const { page, lines, rows, place } = grid;
  const line = lines.lineAt(place.line);
  if (line.kind === 'group') {
    const isToggled = key === 'Enter' || key === ' ' || key === (line.isOpen ? 'ArrowLeft' : 'ArrowRight');
    const group = rows.groups?.[line.group];
    if (isToggled && group !== undefined) toggleGroup(page, rows.query.group, group);
    return isToggled;
  }
  const row = grid.rowOf(place.line);
  if (row === undefined) return false;
  if (key === 'Enter') {
    const name = grid.nameOf(place.column);
    if ((ctrlKey || metaKey) && name !== undefined) showDiffering(page, rows.query.level, row, name);
    else void openRow(page, rows.query.level, row);
    return true;
  }
  if (key === ' ') toggleLine(grid, row, place.line);
  else if (key.toLowerCase() === 'c' && (ctrlKey || metaKey)) copyCell(grid, row);
  else return false;
  return true;
}

/** The value with the focus. */
function copyCell({ page, rows, place, nameOf }: CohortGrid, { cells }: WireTableRow): void {
  const cell = cells[rows.query.columns.indexOf(nameOf(place.column) ?? '')];
  const text = isVarying(cell) ? formatVarying(cell) : formatColumnValue(cell ?? null);
  if (text === '') return;
  navigator.clipboard.writeText(text).then(
    () => say(page, `Copied ${text}`),
    () => say(page, 'The browser does not allow to copy.', 'failed'),
  );
}

function actOnHead(grid: CohortGrid, { key, altKey, shiftKey }: KeyboardEvent): boolean {
  const { page, layout, place } = grid;
  const name = grid.nameOf(place.column);
  if (name === undefined) {
    if (key === 'Enter' || key === ' ') selectAllRows(page);
    return key === 'Enter' || key === ' ';
  }
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (key === 'Enter' || key === ' ') sortBy(page, name, shiftKey);
  else if (key === 'Delete') hideColumn(page, name);
  else if (step !== undefined && altKey) {
    const to = Math.max(1, Math.min(layout.columns.length, place.column + step));
    moveColumn(page, name, to - 1);
    grid.goTo({ line: -1, column: to });
  } else if (step !== undefined && shiftKey) widenColumn(page, layout, name, step * WIDER_PX);
  else return false;
  return true;
}
