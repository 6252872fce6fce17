import type { WireTableRow } from '../../../shared/contract/tables.ts';
import type { Page } from '../../kit/state/page.ts';
import { writeRowChoice } from './chosenRows.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import { FIRST_COLUMNS, NONE_SELECTED } from './cohortQuery.ts';
import { changeQuery } from './query.ts';

/** Lists the files of a series or study in the order of a column in which they differ. */
export function showDiffering(page: Page, level: TableLevel, row: WireTableRow, name: string): void {
  if (level === 'file') return;
  const columns = FIRST_COLUMNS.file.filter((one) => one !== name);
  changeQuery(page, {
    level: 'file',
    where: writeRowChoice(level, [row.id]),
    columns: [name, ...columns],
    sort: [{ column: name, isDescending: false }],
    group: undefined,
    selected: NONE_SELECTED,
  });
}
