import type { DataElement, DataSet } from '../../standard/dicom/dataSet.ts';
import { findDictionaryEntry } from '../../standard/dicom/dictionary.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { describeSequence } from './buildSummary.ts';
import { nameElement, textOf } from './describeElements.ts';
import type { DocumentTable } from './documentKind.ts';

type Level = {
  readonly title: string;
  readonly tag: number;
  /** The sequence of the object that it is in. */
  readonly root: number;
  readonly depth: number;
  readonly items: readonly DataSet[];
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
  const tables: { readonly root: number; readonly table: DocumentTable }[] = [];
  const waiting: Level[] = [];
  for (const element of dataSet) {
    if (element.items === undefined || skip.has(element.tag) || !isShown(element)) continue;
    waiting.push({
      title: nameElement(dataSet, element.tag),
      root: element.tag,
      tag: element.tag,
      depth: 1,
      items: element.items,
      owners: [],
    });
  }
  for (let at = 0; at < waiting.length && tables.length < MOST_TABLES; at += 1) {
    const level = waiting[at];
    if (level === undefined) break;
    const table = toTable(dataSet, level);
    if (table !== undefined) tables.push({ root: level.root, table });
    if (level.depth < MOST_DEPTH) waiting.push(...listInner(level));
  }
  // Inner tables follow the table that they belong to.
  return tables.toSorted((a, b) => a.root - b.root).map(({ table }) => table);
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

function listInner({ title, root, depth, items, owners }: Level): Level[] {
  const inner = new Map<number, Level & { readonly items: DataSet[] }>();
  for (const [at, item] of items.slice(0, MOST_ITEMS).entries()) {
    const owner = [owners[at], labelOf(item, at)].filter((text) => text !== undefined).join(SEPARATOR);
    for (const element of item) {
      if (element.items === undefined || !isShown(element)) continue;
      const name = nameElement(item, element.tag);
      const level = inner.get(element.tag) ?? {
        title: [title, name].map((text) => text.replace(/ Sequence$/, '')).join(SEPARATOR),
        root,
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
  return !isCode && !namesOnly(items, MOST_DEPTH);
}

/** Whether items only name instances, themselves or in the sequences in them: these are links. */
function namesOnly(items: readonly DataSet[], depth: number): boolean {
  if (depth === 0) return false;
  return items
    .slice(0, MOST_SURVEYED)
    .every((item) =>
      [...item].every(({ tag, items: inner }) =>
        inner === undefined ? NAMES_INSTANCE.has(tag) : namesOnly(inner, depth - 1),
      ),
    );
}

const MOST_SURVEYED = 16;
const NAMES_INSTANCE: ReadonlySet<number> = new Set([
  Tag.ReferencedSOPClassUID,
  Tag.ReferencedSOPInstanceUID,
  Tag.SeriesInstanceUID,
  Tag.StudyInstanceUID,
  Tag.ReferencedFrameNumber,
]);

const NAMES: readonly RegExp[] = [/(Label|Name)$/, /(?<!U)ID$/, /(Number|Index)$/];

/** What people call an item: its name, or else its number. */
function labelOf(item: DataSet, at: number): string {
  for (const pattern of NAMES) {
    for (const { tag, items } of item) {
      if (items !== undefined || !pattern.test(findDictionaryEntry(tag)?.keyword ?? '')) continue;
      const text = textOf(item, tag);
      if (text !== undefined && text !== '' && text.length <= 64) return text;
    }
  }
  return `#${at + 1}`;
}
