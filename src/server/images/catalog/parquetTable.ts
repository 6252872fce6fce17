import {
  type AsyncBuffer,
  type FileMetaData,
  parquetRead,
  type RowGroup,
  type SchemaElement,
  snappyUncompress,
} from 'hyparquet';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { openListed, type OpenSource, type SourceRef } from '../../bytes/origins/origins.ts';
import type { StoredRange } from './mayHold.ts';
import { type ParquetFooter, readFooter } from './parquetFooter.ts';

/** A Parquet file that is open for reading. Its rows are counted from its beginning. */
export type ParquetTable = { readonly file: AsyncBuffer; readonly footer: ParquetFooter };

/** Columns of some rows, by their names. One without pieces has no values there. */
export type Columns = ReadonlyMap<string, readonly ColumnPiece[]>;
type ColumnPiece = { readonly from: number; readonly to: number; readonly values: ArrayLike<unknown> };

/** Rows that are read together; `to` is exclusive. */
export type RowSpan = { readonly from: number; readonly to: number };

/** Of the description at the end of the file, and of one page after unpacking. */
const MOST_METADATA_BYTES = 32 * 2 ** 20;
const MOST_PAGE_BYTES = 64 * 2 ** 20;
/** Magic number and length of the description, at the end of the file. */
const FOOTER_BYTES = 8;

export async function withTable<Result>(
  source: SourceRef,
  use: (table: ParquetTable) => Promise<Result>,
): Promise<Result> {
  const opened = openListed(source);
  try {
    return await use(await readTable(opened));
  } finally {
    opened.close();
  }
}

/** What this thread has read last. Reading and walking through a long description takes as long as reading many rows. */
let readLast: { readonly state: string; readonly footer: WeakRef<ParquetFooter> } | undefined;

/** Reads the description of a table in an open file. */
export async function readTable(opened: OpenSource): Promise<ParquetTable> {
  const file = toAsyncBuffer(opened);
  const { state } = opened;
  const known = readLast?.state === state ? readLast.footer.deref() : undefined;
  if (known !== undefined) return { file, footer: known };
  const end = Buffer.from(await file.slice(Math.max(0, file.byteLength - FOOTER_BYTES)));
  if (end.length < FOOTER_BYTES || end.toString('latin1', 4) !== 'PAR1') throw new Error('it is no Parquet file');
  const length = end.readUInt32LE();
  if (length > MOST_METADATA_BYTES) throw new Error(`its description has more than ${MOST_METADATA_BYTES} bytes`);
  const start = file.byteLength - FOOTER_BYTES - length;
  if (start < 0) throw new Error('its description has more bytes than the file');
  const footer = readFooter(new Uint8Array(await file.slice(start, start + length)));
  readLast = { state, footer: new WeakRef(footer) };
  return { file, footer };
}

function toAsyncBuffer(source: ByteSource): AsyncBuffer {
  return {
    byteLength: source.size,
    slice(start, end = source.size) {
      if (!(start >= 0 && start <= end && end <= source.size)) throw new Error('it names bytes that it does not have');
      // A copy, because the next read overwrites the bytes.
      return new Uint8Array(source.read(start, end - start)).buffer;
    },
  };
}

export function listStoredColumns(schema: readonly SchemaElement[]): string[] {
  return schema.slice(1).map(({ name }) => name);
}

/** Undefined if the group says nothing about the values of the column. */
export function findStoredRange({ columns, num_rows: rows }: RowGroup, name: string): StoredRange | undefined {
  const of = columns.find((column) => column.meta_data?.path_in_schema[0] === name)?.meta_data?.statistics;
  if (of === undefined) return undefined;
  const absent = of.null_count === undefined ? undefined : Number(of.null_count);
  // Not `min` and `max`, whose order of texts differs from writer to writer.
  return { rows: Number(rows), absent, smallest: of.min_value, largest: of.max_value };
}

/** Reads columns of some rows, which may be of several groups. */
export async function readStoredColumns(
  { file, footer }: ParquetTable,
  names: readonly string[],
  { from, to }: RowSpan,
): Promise<Columns> {
  const columns = new Map(names.map((name) => [name, [] as ColumnPiece[]]));
  let start = 0;
  for (const [at, rows] of footer.groupRows.entries()) {
    const end = start + rows;
    if (end > from && start < to) {
      const first = start;
      const metadata = footer.describeGroup(at);
      const filled = listFilled(metadata, names);
      if (filled.length > 0) {
        await parquetRead({
          file,
          metadata,
          columns: filled,
          rowStart: Math.max(from, start) - start,
          rowEnd: Math.min(to, end) - start,
          compressors: { SNAPPY: unpackPage },
          onChunk({ columnName, columnData, rowStart, rowEnd }) {
            columns.get(columnName)?.push({ from: first + rowStart, to: first + rowEnd, values: columnData });
          },
        });
      }
    }
    start = end;
  }
  return columns;
}

/** The columns that have a value in a group, as far as it says. */
function listFilled({ row_groups: groups }: FileMetaData, names: readonly string[]): string[] {
  const [group] = groups;
  const absent = new Map<string, number>();
  for (const { meta_data: column } of group?.columns ?? []) {
    const count = column?.statistics?.null_count;
    if (column !== undefined && count !== undefined) absent.set(column.path_in_schema[0] ?? '', Number(count));
  }
  return names.filter((name) => absent.get(name) !== Number(group?.num_rows));
}

/** The values of a column in these rows, from the first of them on; undefined if it has none there. */
export function listValues(columns: Columns, name: string, span: RowSpan): ArrayLike<unknown> | undefined {
  const pieces = columns.get(name) ?? [];
  const [first] = pieces;
  if (first === undefined) return undefined;
  return first.from === span.from && first.to >= span.to ? first.values : copyColumn(pieces, span);
}

/** The same without the values of other rows, whose memory is then free. */
export function copyValues(columns: Columns, name: string, span: RowSpan): readonly unknown[] | undefined {
  const pieces = columns.get(name) ?? [];
  return pieces.length === 0 ? undefined : copyColumn(pieces, span);
}

function copyColumn(pieces: readonly ColumnPiece[], { from, to }: RowSpan): unknown[] {
  const values: unknown[] = Array.from({ length: to - from }, () => null);
  for (const piece of pieces) {
    const end = Math.min(to, piece.to);
    for (let row = Math.max(from, piece.from); row < end; row += 1) {
      values[row - from] = piece.values[row - piece.from] ?? null;
    }
  }
  return values;
}

/** A page says how long it will be, and memory is taken for it before it is unpacked. */
function unpackPage(packed: Uint8Array, bytes: number): Uint8Array {
  if (!(bytes >= 0 && bytes <= MOST_PAGE_BYTES)) throw new Error(`a page takes more than ${MOST_PAGE_BYTES} bytes`);
  const page = new Uint8Array(bytes);
  snappyUncompress(packed, page);
  return page;
}
