import { compareTexts } from '../../../shared/compareTexts.ts';
import { EncodedColumn } from './encodedColumn.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import type { TableRows } from './tableRows.ts';

/** A column of what people have made of files. */
export type PeopleColumnInfo = {
  readonly name: string;
  readonly title: string;
  /** Of a row with several files: the number of different things on them, or their texts, each once. */
  readonly merge: 'count' | 'texts';
};

/** Something that is on some files, such as a mark. Without a text, it only counts. */
export type PeopleItem = { readonly files: readonly number[]; readonly text: string | null };

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
    const isCount = this.info.merge === 'count';
    const counts = new Map<number, number>();
    const texts = new Map<number, Set<string>>();
    for (const { files, text } of this.#items) {
      const there = files.filter((file) => file < rows.count && !rows.isGone(file));
      for (const row of new Set(there.map((file) => rows.rowOf(level, file)))) {
        counts.set(row, (counts.get(row) ?? 0) + 1);
        if (text !== null) texts.set(row, (texts.get(row) ?? new Set()).add(text));
      }
    }
    const column = new EncodedColumn(isCount ? 'number' : 'text');
    if (isCount) for (let row = 0; row < rows.rowCount(level); row += 1) column.set(row, counts.get(row) ?? 0);
    else for (const [row, all] of texts) column.set(row, [...all].toSorted(compareTexts).join('\\'));
    return column;
  }
}
