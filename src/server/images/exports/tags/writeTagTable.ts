import { formatCsvLine } from '../../../../shared/csvCell.ts';
import type { DataElement, DataSet } from '../../../standard/dicom/dataSet.ts';
import { findDictionaryEntry } from '../../../standard/dicom/dictionary.ts';
import { readDicom } from '../../../standard/dicom/readDataSet.ts';
import { tagToString } from '../../../standard/dicom/tag.ts';
import { nameOfTag, TREE_LIMITS } from '../../../standard/dicom/tagTree.ts';
import { buildTagValue, type ShownValue, type ValueCaps } from '../../../standard/dicom/tagValue.ts';
import { withSame } from '../../../bytes/origins/origins.ts';
import { encodeTexts } from '../../../machine/workers/jsonPieces.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { ListColumnsInput, WriteRowsInput, WriteTagTableInput } from '../exportTasks.ts';

/** Spreadsheets take 32,767 characters in a cell. */
const CAPS: ValueCaps = { characters: 32_000, values: 8_192, textBytes: 128 * 1024 };
/** Of one file among many. */
const ROW_CAPS: ValueCaps = { characters: 4_096, values: 1_024, textBytes: 16 * 1024 };

const HEAD = ['path', 'tag', 'vr', 'keyword', 'name', 'creator', 'value', 'truncated'];

/** All elements of one file, one in each row, those of sequences behind them. Implements `writeTagTableTask`. */
export function writeTagTable({ source }: WriteTagTableInput, { transfer }: TaskContext): Uint8Array<ArrayBuffer> {
  return transfer(
    withSame(source, (opened) => {
      const { meta, dataSet } = readDicom(opened, { limits: TREE_LIMITS });
      return encodeTexts(writeLines([meta, dataSet]));
    }),
  );
}

function* writeLines(dataSets: readonly DataSet[]): Generator<string, void> {
  yield formatCsvLine(HEAD);
  for (const dataSet of dataSets) yield* writeElements(dataSet, '');
}

/** The reader limits the nesting. */
function* writeElements(dataSet: DataSet, prefix: string): Generator<string, void> {
  for (const element of dataSet) {
    const { tag, items } = element;
    const path = `${prefix}${tagToString(tag)}`;
    const vr = element.vr.length === 2 ? element.vr : dataSet.readAs(tag);
    const { keyword, name, creator = '' } = nameOfTag(dataSet, tag);
    const { text, isCut } =
      items === undefined
        ? toText(buildTagValue(dataSet, element, CAPS))
        : { text: countItems(element.itemCount ?? items.length), isCut: items.length < (element.itemCount ?? 0) };
    yield formatCsvLine([path, tagToString(tag), vr, keyword, name, creator, text, isCut ? 'yes' : '']);
    for (const [number, item] of (items ?? []).entries()) yield* writeElements(item, `${path}/${number}/`);
  }
  if (dataSet.omitted === undefined) return;
  const { tag, count } = dataSet.omitted;
  const what = count === undefined ? 'what follows is not listed' : `${count} elements are not listed`;
  yield formatCsvLine([`${prefix}${tagToString(tag)}`, tagToString(tag), '', '', '', '', what, 'yes']);
}

function countItems(count: number): string {
  return count === 1 ? '1 item' : `${count} items`;
}

function toText({ value, truncated }: ShownValue): { readonly text: string; readonly isCut: boolean } {
  const isCut = truncated === true;
  switch (value.type) {
    case 'string':
    case 'number':
      return { text: String(value.value), isCut };
    case 'strings':
    case 'numbers':
      return { text: value.value.join('\\'), isCut };
    case 'binary':
      return { text: `${value.length} bytes`, isCut: true };
    case 'empty':
      return { text: '', isCut: false };
    case 'error':
      return { text: value.text ?? value.message, isCut };
  }
}

/** The tags of all elements at the top level of some files. Implements `listColumnsTask`. */
export function listColumns({ sources }: ListColumnsInput, { throwIfCancelled }: TaskContext): readonly number[] {
  const tags = new Set<number>();
  for (const source of sources) {
    throwIfCancelled();
    withSame(source, (opened) => {
      for (const { tag } of readTopLevel(opened)) tags.add(tag);
    });
  }
  return [...tags];
}

/** The rows of some files: the elements of these columns. Implements `writeRowsTask`. */
export function writeRows({ files, columns, isFirst }: WriteRowsInput, context: TaskContext): Uint8Array<ArrayBuffer> {
  const lines = isFirst ? [formatCsvLine(['file_index', 'path', ...columns.map(nameColumn)])] : [];
  for (const { source, index, path } of files) {
    context.throwIfCancelled();
    lines.push(
      withSame(source, (opened) => {
        const dataSet = readTopLevel(opened);
        const cells = columns.map((tag) => toCell(dataSet, dataSet.element(tag)));
        return formatCsvLine([String(index), path, ...cells]);
      }),
    );
  }
  return context.transfer(encodeTexts(lines));
}

function nameColumn(tag: number): string {
  return findDictionaryEntry(tag)?.keyword ?? tagToString(tag);
}

function toCell(dataSet: DataSet, element: DataElement | undefined): string {
  if (element === undefined) return '';
  const { items, itemCount } = element;
  if (items !== undefined) return countItems(itemCount ?? items.length);
  const { text, isCut } = toText(buildTagValue(dataSet, element, ROW_CAPS));
  return isCut && text !== '' && !text.endsWith(' bytes') ? `${text}…` : text;
}

function readTopLevel(opened: Parameters<typeof readDicom>[0]): DataSet {
  return readDicom(opened, { limits: TREE_LIMITS, filter: { element: () => true, item: () => false } }).dataSet;
}
