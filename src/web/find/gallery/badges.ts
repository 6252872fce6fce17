import type { WireTableCell, WireTableRow } from '../../../shared/contract/tables.ts';
import { formatCount } from '../../show/series/describeFile.ts';

export type Badge = { readonly name: string; readonly text: string; readonly words: string };

/** What people and programs say of a row, over its picture: one line for each column of the table. */
const BADGES: readonly {
  readonly column: string;
  readonly describe: (cell: WireTableCell) => Omit<Badge, 'name'> | undefined;
}[] = [
  {
    column: 'marks',
    describe(cell) {
      const count = typeof cell === 'number' ? cell : 0;
      return count > 0 ? { text: `✎ ${count}`, words: formatCount(count, 'mark') } : undefined;
    },
  },
  {
    column: 'verdict',
    describe: (cell) => asTexts(cell, (texts) => [texts.join(', '), `Verdict: ${texts.join(', ')}`]),
  },
  {
    column: 'dice',
    describe(cell) {
      if (typeof cell !== 'number') return undefined;
      const text = `Dice ${cell.toFixed(2)}`;
      return { text, words: `${text}, the lowest of all parts` };
    },
  },
  {
    column: 'findings',
    describe: (cell) =>
      asTexts(cell, (texts) => [`⚠ ${texts.length}`, `Findings: ${texts.join(', ').replaceAll('_', ' ')}`]),
  },
];

/** Of a column whose several texts are written as one value of several. */
function asTexts(
  cell: WireTableCell,
  write: (texts: readonly string[]) => readonly [text: string, words: string],
): Omit<Badge, 'name'> | undefined {
  if (typeof cell !== 'string' || cell === '') return undefined;
  const [text, words] = write(cell.split('\\'));
  return { text, words };
}

/** Columns that the gallery needs, whichever the user has chosen, where the server has them. */
export const BADGE_COLUMNS = BADGES.map(({ column }) => column);

export function listBadges({ cells }: WireTableRow, names: readonly string[]): readonly Badge[] {
  return BADGES.flatMap(({ column, describe }) => {
    const cell = cells[names.indexOf(column)];
    const badge = cell === undefined ? undefined : describe(cell);
    return badge === undefined ? [] : { name: column, ...badge };
  });
}
