import type { FileRecord } from '../../../shared/contract/files.ts';
import type { WireTableCell, WireTableRow } from '../../../shared/contract/tables.ts';
import {
  describePatient,
  describeSeries,
  describeStudy,
  fileName,
  formatCount,
} from '../../show/series/describeFile.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import { formatColumnValue, formatVarying, isVarying } from '../cohort/formatCell.ts';
import { BADGE_COLUMNS } from './badges.ts';

/** What the title says already. */
const IN_TITLE: Readonly<Record<TableLevel, readonly string[]>> = {
  file: ['label'],
  series: ['SeriesNumber', 'SeriesDescription'],
  study: ['PatientName', 'StudyDate', 'StudyDescription'],
};

/** The title of a tile, and a few columns of its row in the order that the user has given them. */
export function nameTile(
  level: TableLevel,
  { cells, files, series }: WireTableRow,
  names: readonly string[],
  file: FileRecord | undefined,
): readonly [title: string, ...details: string[]] {
  const skipped = new Set([...IN_TITLE[level], ...BADGE_COLUMNS]);
  const values = names.flatMap((name, at) => {
    const text = skipped.has(name) ? '' : formatTableCell(cells[at]);
    if (text === '') return [];
    return isPlain(cells[at]) ? [`${name} ${text}`] : [text];
  });
  const counted = level === 'file' ? [] : [formatCount(files, 'file')];
  // Lines are cut at the end of the tile, so that what counts in every row does not come last.
  const half = Math.ceil((values.length + counted.length) / 2);
  const lines = [values.slice(0, half), [...counted, ...values.slice(half)]].map((texts) => texts.join(' · '));
  // Files without a Series Instance UID have a row each.
  const shownLevel = level === 'series' && series === null ? 'file' : level;
  return [file === undefined ? '' : titleOf(shownLevel, file), ...lines.filter((text) => text !== '')];
}

function titleOf(level: TableLevel, file: FileRecord): string {
  if (level === 'file') return fileName(file);
  return level === 'series' ? describeSeries(file) : `${describePatient(file)} · ${describeStudy(file)}`;
}

function formatTableCell(cell: WireTableCell | undefined): string {
  if (cell === undefined) return '';
  return isVarying(cell) ? formatVarying(cell) : formatColumnValue(cell);
}

/** A number, yes or no does not tell which column it is of. */
function isPlain(cell: WireTableCell | undefined): boolean {
  const value = isVarying(cell) ? cell.min : cell;
  return typeof value === 'number' || typeof value === 'boolean';
}
