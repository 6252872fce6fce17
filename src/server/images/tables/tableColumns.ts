import type { ColumnType } from '../catalog/elementColumns.ts';
import { findColumn, type RecordColumn, recordColumns } from '../catalog/indexColumns.ts';
import type { ColumnKind } from './encodedColumn.ts';

/** What the list of files tells, in the order of the columns of an index. */
export function listRecordColumns(): readonly RecordColumn[] {
  return recordColumns().flatMap((column) => (column.path === undefined && !column.isInternal ? [column] : []));
}

export function kindOfType(type: ColumnType): ColumnKind {
  return type === 'STRING' ? 'text' : type === 'BOOLEAN' ? 'flag' : 'number';
}

/** Shown if nobody has chosen columns. */
export const USUAL_COLUMNS: ReadonlySet<string> = new Set([
  'PatientID',
  'StudyDate',
  'StudyDescription',
  'Modality',
  'SeriesNumber',
  'SeriesDescription',
  'frame_count',
  'Rows',
  'Columns',
]);

/**
 * The column of a table that is meant by a name, found without regard to case, or as a tag where the column has a keyword.
 * `has` says which columns there are beside those of the records.
 */
export function findTableName(written: string, has: (name: string) => boolean): string | undefined {
  if (has(written)) return written;
  const found = findColumn(written);
  if (!found.ok) return has(written.toLowerCase()) ? written.toLowerCase() : undefined;
  const { column } = found;
  const isOfRecords = column.path === undefined && !column.isInternal;
  return isOfRecords || has(column.name) ? column.name : undefined;
}
