import type { WireTableCell } from '../../../shared/contract/tables.ts';
import type { CellValue } from './encodedColumn.ts';
import { eachCode } from './orderRows.ts';
import { createRowReader } from './readPage.ts';
import type { TableData } from './tableData.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import type { FileColumn, FileRow } from './writeTableFile.ts';

/** A table for a file, in which every cell is one value. */
export type FlatTable = { readonly columns: readonly FileColumn[]; readonly rows: Iterator<FileRow, undefined> };

type Heads = Readonly<Record<'path' | 'StudyInstanceUID' | 'SeriesInstanceUID', string> & Record<'files', number>>;

/** The columns that say what a row is. They come first, and once. */
const IDENTITY: Readonly<Record<TableLevel, readonly (FileColumn & { readonly name: keyof Heads })[]>> = {
  file: [{ name: 'path', type: 'STRING' }],
  series: [
    { name: 'StudyInstanceUID', type: 'STRING' },
    { name: 'SeriesInstanceUID', type: 'STRING' },
    { name: 'files', type: 'INT32' },
  ],
  study: [
    { name: 'StudyInstanceUID', type: 'STRING' },
    { name: 'files', type: 'INT32' },
  ],
};

/**
 * Where the files of a series or study differ, the column is NULL, and three others say how many values there are, the lowest
 * and the highest. A column has these others if it differs in any of the rows.
 */
export function flattenRows(
  data: TableData,
  order: Uint32Array,
  { level, names }: { readonly level: TableLevel; readonly names: readonly string[] },
): FlatTable {
  const identity = IDENTITY[level];
  const others = names.filter((name) => !identity.some((column) => column.name === name));
  const varying = new Set(level === 'file' ? [] : others.filter((name) => isVarying(data, order, level, name)));
  const columns = others.flatMap((name): FileColumn[] => {
    const own = { name, type: data.typeOf(name) };
    if (!varying.has(name)) return [own];
    return [
      own,
      { name: `${name}_distinct`, type: 'INT32' },
      { name: `${name}_min`, type: own.type },
      { name: `${name}_max`, type: own.type },
    ];
  });
  const read = createRowReader(data, level, others);
  const isVaryingAt = others.map((name) => varying.has(name));
  function* rows(): Generator<FileRow, undefined> {
    for (const row of order) {
      const { id, file, files, cells } = read(row);
      const { studyInstanceUid, seriesInstanceUid } = data.rows.file(file);
      const heads: Heads = {
        path: id,
        StudyInstanceUID: studyInstanceUid,
        SeriesInstanceUID: seriesInstanceUid,
        files,
      };
      const flat: CellValue[] = identity.map(({ name }) => toHead(heads[name]));
      for (const [at, cell] of cells.entries()) addFlat(flat, cell, isVaryingAt[at]!);
      yield flat;
    }
    return undefined;
  }
  return { columns: [...identity, ...columns], rows: rows() };
}

/** A file without a UID has none in the table either. */
function toHead(value: string | number): CellValue {
  return value === '' ? null : value;
}

function addFlat(flat: CellValue[], cell: WireTableCell, isVaryingColumn: boolean): void {
  if (typeof cell === 'object' && cell !== null) flat.push(null, cell.distinct, cell.min, cell.max);
  else if (isVaryingColumn) flat.push(cell, cell === null ? 0 : 1, cell, cell);
  else flat.push(cell);
}

function isVarying(data: TableData, order: Uint32Array, level: TableLevel, name: string): boolean {
  const members = level === 'file' ? undefined : data.rows.members(level);
  const levelColumn = data.column(name, level);
  for (const row of order) {
    let codes = 0;
    eachCode(levelColumn, row, members, () => (codes += 1));
    if (codes > 1) return true;
  }
  return false;
}
