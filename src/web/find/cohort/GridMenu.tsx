import type { WireTableRow } from '../../../shared/contract/tables.ts';
import type { Page } from '../../kit/state/page.ts';
import type { Point } from '../../kit/state/viewState.ts';
import { type PopupItem, PopupMenu } from '../../kit/ui/PopupMenu.tsx';
import { listRowActions } from '../files/rowActions.ts';
import { type ColumnValue, replaceConditionOn, splitCondition, writeChoice } from './conditionParts.ts';
import { formatColumnValue, isVarying } from './formatCell.ts';
import { groupBy, hideColumn, moveColumn, sortOnlyBy, widenColumn } from './gridActions.ts';
import { openRow, subjectOf } from './openRow.ts';
import { changeQuery, queryOf } from './query.ts';
import { showDiffering } from './showDiffering.ts';
import { listTableColumns } from './tableColumns.ts';
import type { CohortGrid } from './useGrid.ts';

export type GridMenuOf =
  | { readonly kind: 'heading'; readonly name: string }
  | { readonly kind: 'row'; readonly row: WireTableRow; readonly name: string | undefined };

type Props = { readonly grid: CohortGrid; readonly of: GridMenuOf; readonly at: Point; readonly onClose: () => void };

/** The menu of a column, or of a row and the value under the pointer. */
export function GridMenu({ grid, of, at, onClose }: Props) {
  const items = of.kind === 'heading' ? listColumnActions(grid, of.name) : listCellActions(grid, of.row, of.name);
  const label = of.kind === 'heading' ? of.name : 'Row';
  return <PopupMenu label={label} at={at} items={items} onClose={onClose} />;
}

const WIDER_PX = 60;

function listColumnActions({ page, query, layout }: CohortGrid, name: string): readonly PopupItem[] {
  const at = query.columns.indexOf(name);
  const isGrouped = query.group === name;
  return [
    { title: 'Sort up', run: () => sortOnlyBy(page, { column: name, isDescending: false }) },
    { title: 'Sort down', run: () => sortOnlyBy(page, { column: name, isDescending: true }) },
    { title: isGrouped ? 'No groups' : 'Group rows by it', run: () => groupBy(page, isGrouped ? undefined : name) },
    {
      title: 'Move left',
      keyHint: 'Alt+Left',
      startsGroup: true,
      isEnabled: at > 0,
      run: () => moveColumn(page, name, at - 1),
    },
    {
      title: 'Move right',
      keyHint: 'Alt+Right',
      isEnabled: at < query.columns.length - 1,
      run: () => moveColumn(page, name, at + 1),
    },
    { title: 'Wider', keyHint: 'Shift+Right', run: () => widenColumn(page, layout, name, WIDER_PX) },
    { title: 'Narrower', keyHint: 'Shift+Left', run: () => widenColumn(page, layout, name, -WIDER_PX) },
    { title: 'Hide', keyHint: 'Del', isEnabled: query.columns.length > 1, run: () => hideColumn(page, name) },
  ];
}

function listCellActions(
  { page, rows }: CohortGrid,
  row: WireTableRow,
  name: string | undefined,
): readonly PopupItem[] {
  const { level, columns } = rows.query;
  const cell = name === undefined ? undefined : row.cells[columns.indexOf(name)];
  const subject = subjectOf(page, level, row);
  const open: PopupItem = { title: 'Open', keyHint: 'Enter', run: () => void openRow(page, level, row) };
  const others = subject === undefined ? [] : listRowActions(page, subject).filter(({ title }) => title !== 'Open');
  return [
    open,
    ...valueActions(page, name, cell, () => showDiffering(page, level, row, name ?? '')),
    ...startGroup(others),
  ];
}

function valueActions(
  page: Page,
  name: string | undefined,
  cell: WireTableRow['cells'][number] | undefined,
  differ: () => void,
): readonly PopupItem[] {
  if (name === undefined || cell === undefined) return [];
  if (isVarying(cell))
    return [{ title: 'List the files that differ', keyHint: 'Ctrl+Enter', startsGroup: true, run: differ }];
  const text = formatColumnValue(cell);
  const said = text.length > MOST_SAID ? `${text.slice(0, MOST_SAID)}…` : text;
  const written = cell === null ? `without ${name}` : `with ${name} = ${said}`;
  return [
    { title: `Only rows ${written}`, startsGroup: true, run: () => restrict(page, name, cell, false) },
    { title: `All rows but those ${written}`, run: () => restrict(page, name, cell, true) },
    { title: 'Copy value', isEnabled: text !== '', run: () => navigator.clipboard.writeText(text) },
  ];
}

const MOST_SAID = 30;

function restrict(page: Page, name: string, value: ColumnValue, isExcluded: boolean): void {
  const names = listTableColumns(page).map((column) => column.name);
  const parts = splitCondition(queryOf(page).getState().where, names) ?? [];
  const wanted = writeChoice(name, [value]);
  // A row without a value passes no comparison, so that it is asked for.
  const others = value === null ? `not (${wanted})` : `(not (${wanted}) or ${writeChoice(name, [null])})`;
  changeQuery(page, { where: replaceConditionOn(parts, name, isExcluded ? others : wanted) });
}

function startGroup([first, ...others]: readonly PopupItem[]): readonly PopupItem[] {
  return first === undefined ? [] : [{ ...first, startsGroup: true }, ...others];
}
