import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { formatCsvText } from '../../../shared/csvCell.ts';
import type { ColumnType } from '../catalog/elementColumns.ts';
import { encodeTexts } from '../../machine/workers/jsonPieces.ts';
import type { CellValue } from './encodedColumn.ts';

export const TABLE_FORMATS = ['csv', 'jsonl', 'parquet'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

export type FileColumn = { readonly name: string; readonly type: ColumnType };
export type FileRow = readonly (CellValue | bigint)[];

export type TableFileOptions = {
  readonly format: TableFormat;
  readonly columns: readonly FileColumn[];
  /** The program, which Parquet files name. */
  readonly createdBy: string;
};

type Bytes = Uint8Array<ArrayBuffer>;

/** Rows that are written together. They take a few megabytes. */
export const GROUP_ROWS = 8_192;
/** Of the rows of a text. */
const PIECE_ROWS = 256;

/**
 * Writes a table piece by piece. It is asked for the next rows when the pieces before have been taken. `rows` returns what is
 * said about the table in a Parquet file.
 */
export function* writeTableFile(
  rows: Iterator<FileRow, object | undefined>,
  options: TableFileOptions,
): Generator<Bytes, void> {
  if (options.format === 'parquet') return yield* writeParquet(rows, options);
  const { format, columns } = options;
  const names = columns.map(({ name }) => name);
  const toLine = format === 'csv' ? writeCsvRow : createJsonWriter(names);
  let lines: string[] = format === 'csv' ? [writeCsvRow(names)] : [];
  for (let step = rows.next(); step.done !== true; step = rows.next()) {
    lines.push(toLine(step.value));
    if (lines.length < PIECE_ROWS) continue;
    yield encodeTexts(lines);
    lines = [];
  }
  if (lines.length > 0) yield encodeTexts(lines);
}

/** NULL is nothing, and an empty text is in quotes: programs that tell them apart read both. */
function writeCsvRow(row: FileRow): string {
  const cells = row.map((value) => {
    if (value === null) return '';
    if (typeof value !== 'string') return String(value);
    return value === '' ? '""' : formatCsvText(value);
  });
  return `${cells.join(',')}\r\n`;
}

function createJsonWriter(names: readonly string[]): (row: FileRow) => string {
  const keys = names.map((name) => JSON.stringify(name));
  return (row) => {
    const members = row.map((value, at) => {
      const written = typeof value === 'bigint' ? String(value) : JSON.stringify(value);
      return `${keys[at]}:${written}`;
    });
    return `{${members.join(',')}}\n`;
  };
}

function* writeParquet(
  rows: Iterator<FileRow, object | undefined>,
  { columns, createdBy }: TableFileOptions,
): Generator<Bytes, void> {
  const file = createParquetFile({ columns, createdBy });
  for (;;) {
    const group: (CellValue | bigint)[][] = columns.map(() => []);
    let count = 0;
    while (count < GROUP_ROWS) {
      const step = rows.next();
      if (step.done === true) {
        if (count > 0) yield* file.add(group, count);
        return yield* file.finish(step.value);
      }
      for (const [at, value] of step.value.entries()) group[at]!.push(value);
      count += 1;
    }
    yield* file.add(group, count);
  }
}

/** Longer texts are cut in what a group says of its values. A UID has 64 characters at most, and many begin with the same ones. */
const BOUND_BYTES = 64;

/** A Parquet file that is written group by group. Each call returns the bytes that come next. */
export function createParquetFile({ columns, createdBy }: Omit<TableFileOptions, 'format'>) {
  const bytes = new ByteWriter();
  const pieces: Bytes[] = [];
  const flush = () => {
    // A copy: the writer uses its memory again.
    const written = bytes.getBytes();
    if (written.length > 0) pieces.push(written.slice());
    bytes.index = 0;
  };
  const writer = new ParquetWriter({
    writer: Object.assign(bytes, { flush }),
    schema: toSchema(columns),
    statisticsTruncateLength: BOUND_BYTES,
    createdBy,
  });
  /** `group` has the values of each column. */
  function add(group: readonly FileRow[], count: number): Bytes[] {
    const columnData = columns.map(({ name, type }, at) => ({
      name,
      data: group[at]!.map((value) => toStored(value, type)),
    }));
    // Without pages that other tools could read, it returns nothing to wait for.
    void writer.write({ columnData, rowGroupSize: Math.max(1, count) });
    flush();
    return pieces.splice(0);
  }
  /** `about` is what the file says of the table. */
  function finish(about: object | undefined): Bytes[] {
    const first =
      writer.num_rows === 0n
        ? add(
            columns.map(() => []),
            0,
          )
        : [];
    if (about !== undefined) writer.kvMetadata = [{ key: 'negato', value: JSON.stringify(about) }];
    void writer.finish();
    flush();
    return [...first, ...pieces.splice(0)];
  }
  return { add, finish };
}

function toStored(value: CellValue | bigint, type: ColumnType): CellValue | bigint {
  if (type === 'INT64' && typeof value === 'number') return BigInt(value);
  return type === 'STRING' && typeof value !== 'string' && value !== null ? String(value) : value;
}

function toSchema(columns: readonly FileColumn[]) {
  const leaves = columns.map(({ name, type }) => {
    const optional = { name, repetition_type: 'OPTIONAL' as const };
    if (type !== 'STRING') return { ...optional, type };
    return { ...optional, type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const };
  });
  return [{ name: 'root', num_children: leaves.length }, ...leaves];
}
