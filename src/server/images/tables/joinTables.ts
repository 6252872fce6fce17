import type { SchemaElement } from 'hyparquet';
import { openListed, orderOfPath, type SourceRef } from '../../bytes/origins/origins.ts';
import { recordColumnTypes } from '../catalog/indexColumns.ts';
import type { ColumnType } from '../catalog/elementColumns.ts';
import { copyValues, type ParquetTable, readStoredColumns, readTable, type RowSpan } from '../catalog/parquetTable.ts';
import { listParts, MOST_INDEX_ROWS } from '../catalog/readIndex.ts';
import { parseJson } from '../../machine/workers/parseJson.ts';
import { keyOfPath, PathTable } from './pathTable.ts';
import { createParquetFile, type FileColumn, type FileRow, GROUP_ROWS } from './writeTableFile.ts';

/** An index that is open for reading. */
export type OpenIndex = ParquetTable & {
  readonly name: string;
  readonly columns: readonly FileColumn[];
  readonly parts: readonly RowSpan[];
  readonly rows: number;
  /** What `negato index` has written about it; undefined if another program wrote the table. */
  readonly about: unknown;
  readonly onPart: OnPart;
  close(): void;
};

/** Called before a part of a table is read, with its name, and with undefined after that. */
export type OnPart = (part: string | undefined) => void;

/** Throws an Error that names the table and says why it is none. */
export async function openIndexTable(source: SourceRef, name: string, onPart: OnPart): Promise<OpenIndex> {
  try {
    const opened = openListed(source);
    try {
      const table = await readTable(opened);
      const { footer } = table;
      const parts = listParts(footer);
      const columns = footer.schema.slice(1).map(toColumn);
      const text = footer.about?.find(({ key }) => key === 'negato')?.value;
      return {
        ...table,
        name,
        columns,
        parts,
        rows: parts.at(-1)?.to ?? 0,
        about: text === undefined ? undefined : parseOrNothing(text),
        onPart,
        close: () => opened.close(),
      };
    } catch (error) {
      opened.close();
      throw error;
    }
  } catch (error) {
    throw new Error(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function parseOrNothing(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function toColumn(element: SchemaElement): FileColumn {
  const { name, type, converted_type: converted, logical_type: logical } = element;
  const isText = converted === 'UTF8' || logical?.type === 'STRING';
  const isPlain = (converted === undefined || /^U?INT_(?:8|16|32|64)$/.test(converted)) && !isDated(logical?.type);
  const isOne = element.repetition_type !== 'REPEATED' && (element.num_children ?? 0) === 0;
  const found = isOne ? (type === 'BYTE_ARRAY' ? isText && 'STRING' : isPlain && type && PLAIN_TYPES[type]) : undefined;
  if (!found) throw new Error(`its column ${name} has neither texts nor numbers`);
  return { name, type: found };
}

function isDated(logical: string | undefined): boolean {
  return logical !== undefined && logical !== 'INTEGER';
}

const PLAIN_TYPES: Readonly<Partial<Record<NonNullable<SchemaElement['type']>, ColumnType>>> = {
  BOOLEAN: 'BOOLEAN',
  INT32: 'INT32',
  INT64: 'INT64',
  FLOAT: 'DOUBLE',
  DOUBLE: 'DOUBLE',
};

/** Numbers, from the narrowest: a column that is narrower in one table than in another has the wider type. */
const NUMBER_TYPES: readonly ColumnType[] = ['INT32', 'INT64', 'DOUBLE'];

/** All columns of the tables, those of the viewer first. Throws an Error for one with texts in one table and numbers in another. */
export function joinColumns(tables: readonly OpenIndex[]): FileColumn[] {
  const types = new Map<string, ColumnType>(recordColumnTypes().map(({ name, type }) => [name, type]));
  for (const { name: table, columns } of tables) {
    for (const { name, type } of columns) {
      const before = types.get(name);
      const widths = before === undefined ? [] : [before, type].map((one) => NUMBER_TYPES.indexOf(one));
      if (before === undefined) types.set(name, type);
      else if (isRecordColumn(name)) continue;
      else if (!widths.includes(-1)) types.set(name, NUMBER_TYPES[Math.max(...widths)]!);
      else if (before !== type)
        throw new Error(`${table}: its column ${name} has another type than that of other tables`);
    }
  }
  return [...types].map(([name, type]) => ({ name, type }));
}

function isRecordColumn(name: string): boolean {
  return recordColumnTypes().some((column) => column.name === name);
}

/** Rows of a table, by their numbers. */
export class RowSet {
  readonly #bits: Uint8Array;
  count = 0;

  constructor(rows: number) {
    this.#bits = new Uint8Array(Math.ceil(rows / 8));
  }

  has(row: number): boolean {
    return (this.#bits[row >>> 3]! & (1 << (row & 7))) !== 0;
  }

  add(row: number): void {
    if (this.has(row)) return;
    this.#bits[row >>> 3]! |= 1 << (row & 7);
    this.count += 1;
  }

  delete(row: number): void {
    if (!this.has(row)) return;
    this.#bits[row >>> 3]! &= ~(1 << (row & 7));
    this.count -= 1;
  }
}

export type ReadPart = {
  readonly span: RowSpan;
  /** Of the columns that were asked for; undefined for one that has none in these rows. */
  readonly values: readonly (readonly unknown[] | undefined)[];
};

/** Reads columns of all rows, part by part. */
export async function* readParts(table: OpenIndex, names: readonly string[]): AsyncGenerator<ReadPart, void> {
  for (const span of table.parts) yield { span, values: await readSpan(table, names, span) };
}

async function readSpan(table: OpenIndex, names: readonly string[], span: RowSpan): Promise<ReadPart['values']> {
  const known = names.filter((name) => table.columns.some((column) => column.name === name));
  table.onPart(`rows ${span.from} to ${span.to - 1} of ${table.name}`);
  const columns = await readStoredColumns(table, known, span);
  table.onPart(undefined);
  return names.map((name) => copyValues(columns, name, span));
}

/** Paths that are compared at a time, in 100 MB. */
const PATHS_AT_ONCE = 2_900_000;
/** More tables are refused: each of them takes a file descriptor. */
const MOST_TABLES = 1_000;

/**
 * Of all rows of one path the newest is taken: that of the file that was changed last, and of equal ones that of the table
 * that was named last. A row without a path is taken as it is.
 */
export async function takeNewest(
  tables: readonly OpenIndex[],
): Promise<{ readonly taken: readonly RowSet[]; readonly duplicates: number }> {
  if (tables.length > MOST_TABLES) throw new Error(`more than ${MOST_TABLES} tables: merge some of them first`);
  const taken = tables.map(({ rows }) => new RowSet(rows));
  const places = tables.map((table, at) => ({ table, taken: taken[at]!, first: sumRows(tables.slice(0, at)) }));
  const total = sumRows(tables);
  const turns = Math.max(1, Math.ceil(total / PATHS_AT_ONCE));
  let duplicates = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    // There are a few more in one turn than in another.
    const known = new PathTable(Math.min(total, Math.ceil((total / turns) * 1.02) + 1_000));
    for (const place of places) {
      for await (const { span, values } of readParts(place.table, ['path', 'file_mtime_ms'])) {
        const [paths, times] = values;
        for (let row = span.from; row < span.to; row += 1) {
          const path = paths?.[row - span.from];
          const key = typeof path === 'string' ? keyOfPath(path) : undefined;
          if (key !== undefined && key[1]! % turns !== turn) continue;
          place.taken.add(row);
          if (key === undefined) continue;
          const time = Number(times?.[row - span.from] ?? Number.NaN);
          const other = known.get(key);
          if (other !== undefined) {
            duplicates += 1;
            if (time < other.time) {
              place.taken.delete(row);
              continue;
            }
            const of = places.findLast(({ first }) => first <= other.number)!;
            of.taken.delete(other.number - of.first);
          }
          known.set(key, place.first + row, time);
        }
      }
    }
  }
  return { taken, duplicates };
}

function sumRows(tables: readonly OpenIndex[]): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

export type JoinInput = {
  readonly table: OpenIndex;
  readonly taken: RowSet;
  /** Numbers that replace those of a column, by the number of the row. One that is not finite replaces nothing. */
  readonly changes?: Readonly<Record<string, Float64Array>>;
};

/**
 * Writes the rows that are taken of all tables into one. If all tables are in the order of their paths, as `negato index`
 * writes them, so is the new one; otherwise its rows are those of one table after those of another. So rows that are near
 * each other in a table are near each other in the new one, and what a group says of its values still tells groups apart.
 */
export async function* joinTables(
  inputs: readonly JoinInput[],
  { createdBy, about }: { readonly createdBy: string; readonly about: object },
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const rows = inputs.reduce((sum, { taken }) => sum + taken.count, 0);
  if (rows > MOST_INDEX_ROWS)
    throw new Error(`there would be ${rows} rows, and an index has at most ${MOST_INDEX_ROWS}`);
  const columns = joinColumns(inputs.map(({ table }) => table));
  const file = createParquetFile({ columns, createdBy });
  let isSorted = true;
  for (const input of inputs) isSorted &&= await isInOrder(input);
  const picks = isSorted ? pickSorted(inputs, columns) : pickInTurn(inputs, columns);
  let picked: Picked[] = [];
  const toGroup = () => {
    const group = columns.map(({ type }, column): FileRow =>
      picked.map(({ part, at }) => toCell(part.values[column]?.[at], type)),
    );
    const pieces = file.add(group, picked.length);
    picked = [];
    return pieces;
  };
  for await (const some of picks) {
    for (const one of some) {
      picked.push(one);
      if (picked.length === GROUP_ROWS) yield* toGroup();
    }
  }
  if (picked.length > 0) yield* toGroup();
  yield* file.finish(about);
}

function toCell(value: unknown, type: ColumnType): FileRow[number] {
  if (typeof value === 'bigint') return type === 'INT64' ? value : Number(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

type Picked = { readonly part: ReadPart; readonly at: number };

function orderOf(path: unknown): string {
  return typeof path === 'string' ? orderOfPath(path) : '';
}

async function isInOrder({ table, taken }: JoinInput): Promise<boolean> {
  let last = '';
  for await (const { span, values } of readParts(table, ['path'])) {
    for (let row = span.from; row < span.to; row += 1) {
      if (!taken.has(row)) continue;
      const order = orderOf(values[0]?.[row - span.from]);
      if (order < last) return false;
      last = order;
    }
  }
  return true;
}

/** Rows of all tables that are in memory at the same time. */
const MOST_ROWS_OPEN = 16 * GROUP_ROWS;

/** The rows of an input that are taken, some at a time. */
async function* readTaken(
  { table, taken, changes = {} }: JoinInput,
  columns: readonly FileColumn[],
  rowsAtOnce: number,
): AsyncGenerator<Picked[], void> {
  const names = columns.map(({ name }) => name);
  for (const { from: first, to: end } of table.parts) {
    for (let from = first; from < end; from += rowsAtOnce) {
      const span = { from, to: Math.min(end, from + rowsAtOnce) };
      const rows: number[] = [];
      for (let row = span.from; row < span.to; row += 1) if (taken.has(row)) rows.push(row - span.from);
      if (rows.length === 0) continue;
      const read = await readSpan(table, names, span);
      const values = read.map((before, column) => {
        const now = changes[names[column]!];
        if (now === undefined || before === undefined) return before;
        return before.map((value, at) => (Number.isFinite(now[span.from + at]) ? now[span.from + at] : value));
      });
      const part = { span, values };
      yield rows.map((at) => ({ part, at }));
    }
  }
}

async function* pickInTurn(inputs: readonly JoinInput[], columns: readonly FileColumn[]) {
  for (const input of inputs) yield* readTaken(input, columns, GROUP_ROWS);
}

type Head = {
  readonly rows: AsyncIterator<Picked[], void>;
  picked: readonly Picked[];
  at: number;
  order: string;
};

async function* pickSorted(
  inputs: readonly JoinInput[],
  columns: readonly FileColumn[],
): AsyncGenerator<Picked[], void> {
  const rowsAtOnce = Math.max(1, Math.min(GROUP_ROWS, Math.floor(MOST_ROWS_OPEN / inputs.length)));
  const pathColumn = columns.findIndex(({ name }) => name === 'path');
  const setOrder = (head: Head) => {
    const { part, at } = head.picked[head.at]!;
    head.order = orderOf(part.values[pathColumn]?.[at]);
  };
  /** False if there are no more rows. */
  const load = async (head: Head): Promise<boolean> => {
    const step = await head.rows.next();
    if (step.done === true) return false;
    head.picked = step.value;
    head.at = 0;
    setOrder(head);
    return true;
  };
  const heap: Head[] = [];
  for (const input of inputs) {
    const head: Head = { rows: readTaken(input, columns, rowsAtOnce), picked: [], at: 0, order: '' };
    if (await load(head)) heap.push(head);
  }
  heap.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
  while (heap.length > 0) {
    const [head] = heap;
    const some: Picked[] = [];
    // Until this table has to be read on.
    let top = head!;
    for (;;) {
      some.push(top.picked[top.at]!);
      top.at += 1;
      if (top.at === top.picked.length) break;
      setOrder(top);
      sink(heap);
      top = heap[0]!;
    }
    yield some;
    if (!(await load(top))) {
      const last = heap.pop()!;
      if (heap.length > 0) heap[0] = last;
    }
    sink(heap);
  }
}

/** Moves the first of a heap to its place. */
function sink(heap: Head[]): void {
  const [head] = heap;
  if (head === undefined) return;
  let at = 0;
  for (;;) {
    let least = 2 * at + 1;
    if (least >= heap.length) break;
    if (least + 1 < heap.length && heap[least + 1]!.order < heap[least]!.order) least += 1;
    if (heap[least]!.order >= head.order) break;
    heap[at] = heap[least]!;
    at = least;
  }
  heap[at] = head;
}
