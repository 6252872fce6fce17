import type { TableLevel } from '../../../shared/tableLevel.ts';
import { formatCount } from '../../show/series/describeFile.ts';

export const LEVEL_TITLES: Readonly<Record<TableLevel, string>> = { file: 'Files', series: 'Series', study: 'Studies' };

const ROW_NOUNS = { file: ['file', 'files'], series: ['series', 'series'], study: ['study', 'studies'] } as const;

/** As in `1,204 series`. */
export function formatRows(count: number, level: TableLevel): string {
  const [one, many] = ROW_NOUNS[level];
  return formatCount(count, one, many);
}

/** Said in place of rows. */
export function describeNoRows({ where, level }: Pick<CohortQuery, 'where' | 'level'>): string {
  const rows = LEVEL_TITLES[level].toLowerCase();
  return where.trim() === '' ? `No ${rows}.` : `No ${rows} meet this condition.`;
}

export const COHORT_MODES = ['table', 'gallery', 'audits'] as const;
export type CohortMode = (typeof COHORT_MODES)[number];

export type ColumnOrder = { readonly column: string; readonly isDescending: boolean };

/** These rows by their ids, or all rows except these: the page does not know the ids of a million rows. */
export type RowSelection = { readonly isAllBut: boolean; readonly ids: ReadonlySet<string> };

/** Which files, series or studies the user looks at together, and how. The table and the gallery show the same query. */
export type CohortQuery = {
  readonly mode: CohortMode;
  readonly level: TableLevel;
  /** A condition, as `--where` takes it; empty for all rows. */
  readonly where: string;
  /** Names of columns, in the order in which they are shown. */
  readonly columns: readonly string[];
  /** Of columns that are not as wide as usual, in pixels. */
  readonly widths: ReadonlyMap<string, number>;
  /** The first decides; each of the others where those before it are equal. */
  readonly sort: readonly ColumnOrder[];
  readonly group: string | undefined;
  readonly selected: RowSelection;
  /** The row that keys act on, and the first row on the screen: numbers of lines, group headings among them, from 0. */
  readonly at: { readonly row: number; readonly top: number };
};

export const NONE_SELECTED: RowSelection = { isAllBut: false, ids: new Set() };
export const AT_TOP: CohortQuery['at'] = { row: 0, top: 0 };

/** What a level shows until the user chooses other columns: only what is known without reading the files again. */
export const FIRST_COLUMNS: Readonly<Record<TableLevel, readonly string[]>> = {
  file: [
    'PatientID',
    'Modality',
    'SeriesNumber',
    'SeriesDescription',
    'InstanceNumber',
    'Rows',
    'Columns',
    'marks',
    'path',
  ],
  series: [
    'PatientID',
    'Modality',
    'StudyDate',
    'SeriesNumber',
    'SeriesDescription',
    'StudyDescription',
    'Rows',
    'Columns',
    'marks',
  ],
  study: ['PatientID', 'PatientName', 'StudyDate', 'StudyDescription', 'Modality', 'marks'],
};

export function isSelected({ isAllBut, ids }: RowSelection, id: string): boolean {
  return ids.has(id) !== isAllBut;
}

export function hasSelection({ isAllBut, ids }: RowSelection): boolean {
  return isAllBut || ids.size > 0;
}

/** How many of `total` rows are selected. */
export function countSelected({ isAllBut, ids }: RowSelection, total: number): number {
  return isAllBut ? Math.max(0, total - ids.size) : ids.size;
}
