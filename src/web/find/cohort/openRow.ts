import type { WireTableRow } from '../../../shared/contract/tables.ts';
import { activateCell, type GridLayout, MAX_SIDE, setLayout } from '../../kit/state/cells.ts';
import { namedComparisonOf } from '../../kit/state/comparedSides.ts';
import { isCohortInFront } from '../../kit/state/cohortPlace.ts';
import { findFile, stackOf } from '../../kit/state/library.ts';
import { say } from '../../kit/state/messages.ts';
import type { Page } from '../../kit/state/page.ts';
import { openNode } from '../files/openNode.ts';
import type { RowSubject } from '../files/rowActions.ts';
import { openStudy } from '../studies/openStudy.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';

/** Shows what a row stands for in the viewer: a study by rule, a series from its start, a file of its series. */
export async function openRow(page: Page, level: TableLevel, row: WireTableRow): Promise<void> {
  if (level === 'study' && row.study !== null) await openStudy(page, row.study);
  // A study without images is shown by no rule.
  if (level !== 'study' || isCohortInFront(page)) openInCells(page, level, row);
  // A file is opened because of that file.
  if (level !== 'file') namedComparisonOf(page).setState(({ worstWishes }) => ({ worstWishes: worstWishes + 1 }));
}

/** As many as there are cells. */
export const MOST_TOGETHER = MAX_SIDE * MAX_SIDE;

/** Shows each of the rows in a cell of its own. */
export function openTogether(page: Page, level: TableLevel, rows: readonly WireTableRow[]): void {
  const shown = rows.slice(0, MOST_TOGETHER);
  if (shown.length === 0) return;
  setLayout(page, layoutFor(shown.length));
  for (const [cell, row] of shown.entries()) openInCells(page, level, row, cell);
  activateCell(page, 0);
}

/** What stands for a row in the viewer, as a line of the explorer does; undefined if the page does not know its file yet. */
export function subjectOf(page: Page, level: TableLevel, { file: index, study }: WireTableRow): RowSubject | undefined {
  const file = findFile(page, index);
  if (file === undefined) return undefined;
  return {
    kind: level,
    hint: '',
    stackId: stackOf(page, file).id,
    fileIndex: level === 'file' ? file.index : undefined,
    studyUid: level === 'study' ? (study ?? undefined) : undefined,
  };
}

function openInCells(page: Page, level: TableLevel, row: WireTableRow, cell?: number): void {
  const subject = subjectOf(page, level, row);
  if (subject === undefined) say(page, 'The list of files has not come to this row yet.', 'failed');
  else openNode(page, subject, cell);
}

/** The smallest of the usual layouts with room for so many. */
function layoutFor(count: number): GridLayout {
  const columns = Math.ceil(Math.sqrt(count));
  return { rows: Math.ceil(count / columns), columns };
}
