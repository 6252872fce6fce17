import type { DataElement, DataSet } from '../dicom/dataSet.ts';
import { findDictionaryEntry } from '../dicom/dictionary.ts';
import * as Tag from '../dicom/tag.ts';
import { describeSequence, isReference } from './buildSummary.ts';
import { nameElement, textOf } from './describeElements.ts';
import type { DocumentTable } from './documentKind.ts';

type Level = {
  readonly title: string;
  readonly tag: number;
  readonly depth: number;
  readonly items: DataSet[];
  /** The rows that the items belong to. */
  readonly owners: string[];
};

/** Limits of a summary: the answer has no more tables, and nobody reads deeper ones. */
const MOST_TABLES = 40;
const MOST_DEPTH = 5;
const MOST_ITEMS = 2000;

/**
 * A table for each sequence of an object, and for the sequences in its items: these say which row of the outer table
 * they belong to. `skip` are sequences of the object itself that are shown in another way.
 */
export function describeSequences(dataSet: DataSet, skip: ReadonlySet<number> = new Set()): DocumentTable[] {
  const tables: DocumentTable[] = [];
  const waiting: Level[] = [];
  for (const element of dataSet) {
    if (element.items === undefined || skip.has(element.tag) || !isShown(element)) continue;
    waiting.push({
      title: titleOf(dataSet, element.tag),
      tag: element.tag,
      depth: 1,
      items: element.items.slice(0, MOST_ITEMS),
      owners: [],
    });
  }
  for (let at = 0; at < waiting.length && tables.length < MOST_TABLES; at += 1) {
    const level = waiting[at];
    if (level === undefined) break;
    const table = toTable(dataSet, level);
    if (table !== undefined) tables.push(table);
    if (level.depth < MOST_DEPTH) waiting.push(...listInner(level));
  }
  return tables.toSorted((a, b) => order(waiting, a) - order(waiting, b));
}

/** Inner tables follow the table that they belong to. */
function order(levels: readonly Level[], { title }: DocumentTable): number {
  const [root = title] = title.split(SEPARATOR);
  return levels.findIndex((level) => level.title === root);
}

const SEPARATOR = ' › ';

function toTable(dataSet: DataSet, { title, tag, items, owners }: Level): DocumentTable | undefined {
  const [table] = describeSequence(dataSet, { tag, items }) ?? [];
  if (table === undefined) return undefined;
  if (owners.length === 0) return { ...table, title };
  return {
    ...table,
    title,
    columns: [{ label: 'Of' }, ...table.columns],
    rows: table.rows.map((row, at) => [owners[at], ...row]),
  };
}

function listInner({ title, depth, items, owners }: Level): Level[] {
  const inner = new Map<number, Level>();
  for (const [at, item] of items.entries()) {
    const owner = [owners[at], labelOf(item, at)].filter((text) => text !== undefined).join(SEPARATOR);
    for (const element of item) {
      if (element.items === undefined || !isShown(element)) continue;
      const level = inner.get(element.tag) ?? {
        title: `${title}${SEPARATOR}${titleOf(item, element.tag)}`,
        tag: element.tag,
        depth: depth + 1,
        items: [],
        owners: [],
      };
      inner.set(element.tag, level);
      for (const one of element.items.slice(0, MOST_ITEMS - level.items.length)) {
        level.items.push(one);
        level.owners.push(owner);
      }
    }
  }
  return [...inner.values()];
}

/** Codes are values of a row, and references are links. */
function isShown({ items = [], tag }: DataElement): boolean {
  const [first] = items;
  if (first === undefined || tag === Tag.IconImageSequence) return false;
  const isCode = items.length === 1 && (first.has(Tag.CodeValue) || first.has(Tag.CodeMeaning));
  return !isCode && !isReference(items);
}

function titleOf(dataSet: DataSet, tag: number): string {
  return nameElement(dataSet, tag).replace(/ Sequence$/, '');
}

const NAMES = /(Label|Name|ID)$/;
const NUMBERS = /(Number|Index|Type)$/;

/** What people call an item: its name, or else its number. */
function labelOf(item: DataSet, at: number): string {
  for (const pattern of [NAMES, NUMBERS]) {
    for (const { tag, items } of item) {
      if (items !== undefined || !pattern.test(findDictionaryEntry(tag)?.keyword ?? '')) continue;
      const text = textOf(item, tag);
      if (text !== undefined && text !== '' && text.length <= 64) return text;
    }
  }
  return `#${at + 1}`;
}
