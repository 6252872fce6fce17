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

/** Lines below the title. */
const MOST_LINES = 2;
/** What the title says already. */
const IN_TITLE: Readonly<Record<TableLevel, readonly string[]>> = {
  file: ['label'],
  series: ['SeriesNumber', 'SeriesDescription'],
  study: ['PatientName', 'StudyDate', 'StudyDescription'],
};

/** The title of a tile, and a few columns of its row in the order that the user has given them. */
export function nameTile(
  level: TableLevel,
  { cells, files }: WireTableRow,
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
  const details = [...values, ...counted];
  const perLine = Math.ceil(details.length / MOST_LINES);
  const lines = Array.from({ length: MOST_LINES }, (_, n) => details.slice(n * perLine, (n + 1) * perLine).join(' · '));
  return [file === undefined ? '' : titleOf(level, file), ...lines.filter((text) => text !== '')];
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
