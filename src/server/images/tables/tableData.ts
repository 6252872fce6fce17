import type { ColumnType } from '../catalog/elementColumns.ts';
import { findColumn, type RecordColumn } from '../catalog/indexColumns.ts';
import type { FileRows } from '../catalog/packedFile.ts';
import { type CellValue, type ColumnKind, EncodedColumn } from './encodedColumn.ts';
import { PeopleColumn, type PeopleColumnInfo, type PeopleItem } from './peopleColumn.ts';
import { findTableName, kindOfType } from './tableColumns.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import { TableRows } from './tableRows.ts';

/** A column of elements that are read for the table. Without a type, each file says what its values are. */
export type HarvestedInfo = { readonly name: string; readonly type: ColumnType | undefined };

/** Values of files that follow each other, a list for each column. */
export type HarvestedValues = {
  readonly first: number;
  readonly names: readonly string[];
  readonly values: readonly (readonly CellValue[])[];
};

/** What is known of the values of a column. */
export type ColumnFacts = {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly filled: number;
  readonly distinct: number;
};

/** How a column says something of the rows of a level: by a value for each row, or by the values of its files. */
export type LevelColumn = { readonly column: EncodedColumn; readonly isOfRows: boolean };

/** A column of a query has been forgotten since the query was checked. */
export class ColumnGone extends Error {
  override readonly name = 'ColumnGone';
}

/** All rows and columns of a table. */
export class TableData {
  readonly rows = new TableRows();
  readonly #harvested = new Map<string, { readonly info: HarvestedInfo; readonly column: EncodedColumn }>();
  readonly #people = new Map<string, PeopleColumn>();
  /** Columns made of the records of files, the last used at the end. They can be made again. */
  readonly #records = new Map<string, { readonly info: RecordColumn; readonly column: EncodedColumn }>();
  readonly #budgetBytes: number;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  /** Bytes of all columns. */
  get bytes(): number {
    const all = [...this.#harvested.values(), ...this.#records.values()].map(({ column }) => column);
    return [...all, ...this.#people.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  add(rows: FileRows): void {
    this.rows.add(rows);
  }

  replace(first: number, rows: FileRows): void {
    this.rows.replace(first, rows);
    for (const { info, column } of this.#records.values()) {
      for (let file = first; file < Math.min(first + rows.count, column.length); file += 1) {
        column.set(file, this.#read(info, file));
      }
    }
  }

  /** Those of the columns that are not there yet are empty; those that are not named are forgotten. */
  setHarvested(columns: readonly HarvestedInfo[]): void {
    const names = new Set(columns.map(({ name }) => name));
    for (const name of this.#harvested.keys()) if (!names.has(name)) this.#harvested.delete(name);
    for (const info of columns) {
      const { name, type } = info;
      if (this.#harvested.has(name)) continue;
      this.#harvested.set(name, { info, column: new EncodedColumn(type && kindOfType(type)) });
    }
  }

  /** Values of columns that were forgotten meanwhile are dropped. */
  takeHarvested({ first, names, values }: HarvestedValues): void {
    for (const [at, name] of names.entries()) {
      const column = this.#harvested.get(name)?.column;
      for (const [offset, value] of (values[at] ?? []).entries()) column?.set(first + offset, value);
    }
    this.#freeRecords(undefined);
  }

  setPeople(info: PeopleColumnInfo, items: readonly PeopleItem[]): void {
    const column = this.#people.get(info.name) ?? new PeopleColumn(info);
    this.#people.set(info.name, column);
    column.set(items);
  }

  column(name: string, level: TableLevel): LevelColumn {
    const people = this.#people.get(name);
    if (people !== undefined) return { column: people.at(level, this.rows), isOfRows: true };
    const column = this.#harvested.get(name)?.column ?? this.#encodeRecord(name);
    return { column, isOfRows: level === 'file' };
  }

  /** Reads one file after another, without a column of all files if there is none yet. */
  reader(name: string): (file: number) => CellValue {
    const isOther = this.#people.has(name) || this.#harvested.has(name) || this.#records.has(name);
    const info = isOther ? undefined : findRecordColumn(name);
    if (info !== undefined) return (file) => this.#read(info, file);
    const { column } = this.column(name, 'file');
    return (file) => column.valueAt(file);
  }

  /** The name of a column as it is written in a condition; undefined if there is none. */
  findName(written: string): string | undefined {
    return findTableName(written, (name) => this.#people.has(name) || this.#harvested.has(name));
  }

  /** What the values of a column are in a file with types. */
  typeOf(name: string): ColumnType {
    const people = this.#people.get(name);
    if (people !== undefined) return PEOPLE_TYPES[people.info.merge];
    const harvested = this.#harvested.get(name);
    if (harvested === undefined) return findRecordColumn(name)?.type ?? 'STRING';
    return harvested.info.type ?? (harvested.column.kind === 'number' ? 'DOUBLE' : 'STRING');
  }

  describe(names: readonly string[]): readonly ColumnFacts[] {
    return names.map((name) => {
      const { column } = this.column(name, 'file');
      return { name, kind: column.kind, filled: column.filled, distinct: column.distinct };
    });
  }

  #encodeRecord(name: string): EncodedColumn {
    const info = findRecordColumn(name);
    if (info === undefined) throw new ColumnGone(`the column ${name} is no longer there`);
    const { column } = this.#records.get(name) ?? { column: new EncodedColumn(kindOfType(info.type)) };
    this.#records.delete(name);
    this.#records.set(name, { info, column });
    for (let file = column.length; file < this.rows.count; file += 1) column.set(file, this.#read(info, file));
    this.#freeRecords(name);
    return column;
  }

  #read(info: RecordColumn, file: number): CellValue {
    const value = info.read(this.rows.file(file));
    return typeof value === 'bigint' ? Number(value) : value;
  }

  /** Forgets columns that were not used for the longest time, until the others are within the budget. */
  #freeRecords(used: string | undefined): void {
    let { bytes } = this;
    for (const [name, { column }] of this.#records) {
      if (bytes <= this.#budgetBytes) return;
      if (name === used) continue;
      this.#records.delete(name);
      bytes -= column.bytes;
    }
  }
}

const PEOPLE_TYPES: Readonly<Record<PeopleColumnInfo['merge'], ColumnType>> = {
  count: 'INT32',
  texts: 'STRING',
  number: 'INT32',
  lowest: 'DOUBLE',
  highest: 'DOUBLE',
  total: 'DOUBLE',
};

function findRecordColumn(name: string): RecordColumn | undefined {
  const found = findColumn(name);
  return found.ok && found.column.path === undefined ? found.column : undefined;
}
