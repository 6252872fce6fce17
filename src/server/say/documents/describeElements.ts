import { dicomCielabToRgb } from '../../../shared/cielab.ts';
import { formatDate, formatDateTime, formatPersonName, formatTimeOfDay } from '../../../shared/dicomTexts.ts';
import { toUnitSymbol } from '../../../shared/unitSymbol.ts';
import type { DataElement, DataSet } from '../../standard/dicom/dataSet.ts';
import { findDictionaryEntry, isPrivate } from '../../standard/dicom/dictionary.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { buildTagValue, readAsOf, type ValueCaps } from '../../standard/dicom/tagValue.ts';
import { sopClassName, findUid } from '../../standard/dicom/uids.ts';
import { type Code, findCode } from '../../standard/dicom/code.ts';
import type { DocumentColumn, DocumentFact, DocumentTable, TableCell } from './documentKind.ts';

/** A value in a summary is for reading; the whole value is in the tags. */
const CAPS: ValueCaps = { characters: 400, values: 24, textBytes: 8 * 1024 };

/** The value of an element in one line: dates, times and names as people write them; undefined if it is empty. */
export function formatElement(dataSet: DataSet, element: DataElement): string | undefined {
  const { value, truncated } = buildTagValue(dataSet, element, CAPS);
  const end = truncated === true ? ' …' : '';
  switch (value.type) {
    case 'empty':
      return undefined;
    case 'string':
      return formatText(value.value, readAsOf(dataSet, element)) + end;
    case 'strings': {
      const vr = readAsOf(dataSet, element);
      return value.value.map((text) => formatText(text, vr)).join(' \\ ') + end;
    }
    case 'number':
      return String(value.value);
    case 'numbers':
      return value.value.join(' \\ ') + end;
    case 'binary':
      return `${value.length} bytes`;
    case 'error':
      return `cannot be read: ${value.message}`;
  }
}

function formatText(text: string, vr: string): string {
  switch (vr) {
    case 'DA':
      return formatDate(text);
    case 'TM':
      return formatTimeOfDay(text);
    case 'DT':
      return formatDateTime(text);
    case 'PN':
      return formatPersonName(text);
    case 'UI':
      return findUid(text)?.name ?? text;
    default:
      return text;
  }
}

/** The value of an element as text; undefined if it is absent or empty. */
export function textOf(dataSet: DataSet | undefined, tag: number): string | undefined {
  const element = dataSet?.element(tag);
  if (dataSet === undefined || element === undefined || element.items !== undefined) return undefined;
  return formatElement(dataSet, element);
}

/** The name of an element in the standard. */
export function nameElement(dataSet: DataSet, tag: number): string {
  if (!isPrivate(tag)) return findDictionaryEntry(tag)?.name ?? Tag.tagToString(tag);
  const block = (tag & 0xffff) >>> 8;
  const creator = dataSet.string(((tag & 0xffff0000) | block) >>> 0);
  return creator === undefined ? Tag.tagToString(tag) : `${creator} ${Tag.tagToString(tag)}`;
}

/** The facts of these elements that have a value. */
export function listFacts(dataSet: DataSet, section: string, tags: readonly number[]): DocumentFact[] {
  return tags.flatMap((tag) => factOf(dataSet, section, tag) ?? []);
}

export type FactOptions = {
  readonly label?: string | undefined;
  readonly unit?: string | undefined;
  /** The path of the data set in the object, as `(300A,0070)/0`; absent for the object itself. */
  readonly below?: string | undefined;
};

/** One element as a fact; a code sequence by its meaning. Undefined if there is no value. */
export function factOf(
  dataSet: DataSet,
  section: string,
  tag: number,
  { label, unit, below }: FactOptions = {},
): DocumentFact | undefined {
  const element = dataSet.element(tag);
  if (element === undefined) return undefined;
  const value = element.items === undefined ? formatElement(dataSet, element) : formatCode(findCode(dataSet, tag));
  if (value === undefined || value === '') return undefined;
  const path = Tag.tagToString(tag);
  return {
    section,
    label: label ?? nameElement(dataSet, tag),
    value,
    unit,
    tagPath: below === undefined ? path : `${below}/${path}`,
  };
}

/** The meaning of a code, or its value if it has none. */
export function formatCode(code: Code | undefined): string | undefined {
  if (code === undefined) return undefined;
  return code.meaning === '' ? `${code.value} (${code.scheme})` : code.meaning;
}

/** The unit as it is printed, such as `mm²`; undefined without one. */
export function formatUnit(code: Code | undefined): string | undefined {
  return code === undefined ? undefined : toUnitSymbol(code, code.meaning);
}

export type TableColumn<Row> = DocumentColumn & {
  readonly value: (row: Row, index: number) => TableCell;
};

/** A table of rows. Columns without any value are left out. */
export function tableOf<Row>(
  title: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
): DocumentTable | undefined {
  if (rows.length === 0) return undefined;
  const shown = rows.slice(0, MOST_ROWS);
  const filled = columns
    .map((column) => ({ column, cells: shown.map((row, index) => column.value(row, index)) }))
    .filter(({ cells }) => cells.some((cell) => cell !== undefined && cell !== ''));
  if (filled.length === 0) return undefined;
  return {
    title,
    columns: filled.map(({ column: { label, unit, isColor } }) => ({ label, unit, isColor })),
    rows: shown.map((_, row) => filled.map(({ cells }) => cells[row])),
    rowCount: rows.length,
  };
}

/** A table has no more rows than these in an answer. */
export const MOST_ROWS = 10_000;

/** A column of the values of an element: numbers as numbers, so that they sort, and colors as colors. */
export function elementColumn(tag: number, label?: string, unit?: string): TableColumn<DataSet> {
  if (tag === Tag.ROIDisplayColor || CIELAB_TAGS.has(tag)) {
    return { label: label ?? 'Recommended display color', isColor: true, value: (item) => colorOf(item, tag) };
  }
  return {
    label: label ?? findDictionaryEntry(tag)?.name ?? Tag.tagToString(tag),
    unit,
    value: (item) => tableCellOf(item, tag),
  };
}

const CIELAB_TAGS: ReadonlySet<number> = new Set([
  Tag.RecommendedDisplayCIELabValue,
  Tag.GraphicLayerRecommendedDisplayCIELabValue,
]);

/** Red, green and blue of an element with a color; undefined if it has none. */
export function colorOf(item: DataSet | undefined, tag: number): TableCell {
  const [one, two, three] = item?.numbers(tag, 3) ?? [];
  if (one === undefined || two === undefined || three === undefined) return undefined;
  const color = CIELAB_TAGS.has(tag) ? dicomCielabToRgb([one, two, three]) : [one, two, three];
  return color.every((value) => value >= 0 && value <= 255) ? color.join(', ') : undefined;
}

/** The value of an element in a table; the meaning of a code; the number of items of another sequence. */
export function tableCellOf(item: DataSet, tag: number): TableCell {
  const element = item.element(tag);
  if (element === undefined) return undefined;
  if (element.items === undefined) {
    const { value } = buildTagValue(item, element, CAPS);
    return value.type === 'number' ? value.value : formatElement(item, element);
  }
  const code = formatCode(findCode(item, tag));
  if (code !== undefined) return code;
  const count = element.itemCount ?? element.items.length;
  return count === 0 ? undefined : count === 1 ? '1 item' : `${count} items`;
}

/** `CT Image Storage` as `CT Image`; undefined for a class that is not in the standard. */
export function nameClass(sopClassUid: string): string | undefined {
  return sopClassName(sopClassUid)
    ?.replace(/ Storage\b/, '')
    .replace(/ SOP Class\b/, '');
}
