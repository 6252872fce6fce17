import { compareTexts } from '../../../shared/compareTexts.ts';
import { EncodedColumn } from './encodedColumn.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import type { TableRows } from './tableRows.ts';

/** A column of what people have made of files. */
export type PeopleColumnInfo = {
  readonly name: string;
  readonly title: string;
  /** Whether it is shown before anyone chooses columns. */
  readonly isUsual?: boolean;
  /**
   * Of a row with several files: the number of different things on them, their texts, each once, the number that all of
   * them share, or of several numbers the lowest, the highest or their sum.
   */
  readonly merge: 'count' | 'texts' | 'number' | 'lowest' | 'highest' | 'total';
};

/** Something that is on some files, such as a mark. Without a text, it only counts. */
export type PeopleItem = {
  readonly files: readonly number[];
  /** It is on the whole series or study of each of these files. */
  readonly of?: 'series' | 'study';
  readonly text: string | null;
};

/** The values of such a column, which are few: they are made anew when something has changed. */
export class PeopleColumn {
  readonly info: PeopleColumnInfo;
  #items: readonly PeopleItem[] = [];
  readonly #made = new Map<TableLevel, { readonly column: EncodedColumn; readonly changes: number }>();

  constructor(info: PeopleColumnInfo) {
    this.info = info;
  }

  get bytes(): number {
    return [...this.#made.values()].reduce((sum, { column }) => sum + column.bytes, 0);
  }

  set(items: readonly PeopleItem[]): void {
    this.#items = items;
    this.#made.clear();
  }

  /** One value for each row of a level. */
  at(level: TableLevel, rows: TableRows): EncodedColumn {
    const known = this.#made.get(level);
    if (known?.changes === rows.changes) return known.column;
    const column = this.#make(level, rows);
    this.#made.set(level, { column, changes: rows.changes });
    return column;
  }

  #make(level: TableLevel, rows: TableRows): EncodedColumn {
    const { merge } = this.info;
    if (merge === 'count') return this.#count(level, rows);
    const add = ADD[merge];
    return add === undefined ? this.#merge(level, rows) : this.#fold(level, rows, add);
  }

  #fold(level: TableLevel, rows: TableRows, add: (a: number, b: number) => number): EncodedColumn {
    const values = new Map<number, number>();
    for (const item of this.#items) {
      if (item.text === null) continue;
      const value = Number(item.text);
      for (const row of listRows(item, level, rows)) {
        const known = values.get(row);
        values.set(row, known === undefined ? value : add(known, value));
      }
    }
    const column = new EncodedColumn('number');
    for (const [row, value] of values) column.set(row, value);
    return column;
  }

  #count(level: TableLevel, rows: TableRows): EncodedColumn {
    const counts = new Map<number, number>();
    for (const item of this.#items) {
      for (const row of listRows(item, level, rows)) counts.set(row, (counts.get(row) ?? 0) + 1);
    }
    const column = new EncodedColumn('number');
    for (let row = 0; row < rows.rowCount(level); row += 1) column.set(row, counts.get(row) ?? 0);
    return column;
  }

  #merge(level: TableLevel, rows: TableRows): EncodedColumn {
    const isNumber = this.info.merge === 'number';
    const column = new EncodedColumn(isNumber ? 'number' : 'text');
    /** Of rows with more than one: there may be millions of rows, and few of these. */
    const several = new Map<number, Set<string>>();
    for (const item of this.#items) {
      const { text } = item;
      if (text === null) continue;
      for (const row of listRows(item, level, rows)) {
        const known = column.valueAt(row);
        if (known === null) column.set(row, isNumber ? Number(text) : text);
        else if (String(known) !== text) several.set(row, (several.get(row) ?? new Set([String(known)])).add(text));
      }
    }
    for (const [row, all] of several) column.set(row, isNumber ? null : [...all].toSorted(compareTexts).join('\\'));
    return column;
  }
}

const ADD: { readonly [Merge in PeopleColumnInfo['merge']]?: (a: number, b: number) => number } = {
  lowest: Math.min,
  highest: Math.max,
  total: (a, b) => a + b,
};

/** The rows that an item is on, each once. */
function listRows({ files, of }: PeopleItem, level: TableLevel, rows: TableRows): Iterable<number> {
  const known = files.filter((file) => file < rows.count);
  const there = of === undefined ? known : known.flatMap((file) => rows.filesOf(of, rows.rowOf(of, file)));
  return new Set(there.flatMap((file) => (rows.isGone(file) ? [] : [rows.rowOf(level, file)])));
}
