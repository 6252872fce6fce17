import { createReadWindow } from '../../bytes/origins/byteSource.ts';
import { openSame, requireUnchanged } from '../../bytes/origins/origins.ts';
import { encodeTexts } from '../../machine/workers/jsonPieces.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import type { DataElement, DataSet } from '../../standard/dicom/dataSet.ts';
import { isPrivate } from '../../standard/dicom/dictionary.ts';
import { nameOfElement } from '../../standard/dicom/elementPath.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import { tagToString } from '../../standard/dicom/tag.ts';
import { creatorTag, nameOfTag, TREE_LIMITS, TREE_VALUE_BYTES } from '../../standard/dicom/tagTree.ts';
import { buildTagValue, type ShownValue, type ValueCaps } from '../../standard/dicom/tagValue.ts';
import type { SearchMatch } from '../../../shared/contract/search.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { FileToSearch, SearchFilesInput, FoundElements, SearchWish } from './searchTasks.ts';

/** What is searched of a value, and of the values of an element. */
const CAPS: ValueCaps = { characters: 16_384, values: 1_024, textBytes: 64 * 1024 };
/** What is shown of it. */
const MOST_SHOWN = 256;

/** Searches all elements of files for a text. Implements `searchTask`. */
export function searchFiles(input: SearchFilesInput, { throwIfCancelled, transfer }: TaskContext): FoundElements {
  const { files, wish } = input;
  const window = createReadWindow();
  const lines: string[] = [];
  let isWhole = true;
  for (const file of files) {
    throwIfCancelled();
    const found = searchFile(file, wish, window);
    isWhole &&= found?.isWhole === true;
    for (const match of found?.matches ?? []) lines.push(`${JSON.stringify(match)}\n`);
  }
  return { lines: transfer(encodeTexts(lines)), matches: lines.length, isWhole };
}

type Found = { readonly matches: readonly SearchMatch[]; readonly isWhole: boolean };

/** Undefined if the file has changed, has gone or cannot be read. */
function searchFile({ source, index }: FileToSearch, wish: SearchWish, window: Uint8Array): Found | undefined {
  try {
    const opened = openSame(source, window);
    try {
      const { meta, dataSet } = readDicom(opened, { limits: TREE_LIMITS, maxValueBytes: TREE_VALUE_BYTES });
      const matches: SearchMatch[] = [];
      let isWhole = true;
      for (const match of matchAll([meta, dataSet], '', wish)) {
        isWhole = matches.length < wish.mostOfFile;
        if (!isWhole) break;
        matches.push({ file: index, ...match });
      }
      requireUnchanged(opened);
      return { matches, isWhole: isWhole && dataSet.omitted === undefined };
    } finally {
      opened.close();
    }
  } catch (error) {
    if (error instanceof ViewerError || (error instanceof Error && 'syscall' in error)) return undefined;
    throw error;
  }
}

/** The reader limits the nesting. */
function* matchAll(
  dataSets: readonly DataSet[],
  prefix: string,
  wish: SearchWish,
): Generator<Omit<SearchMatch, 'file'>, void> {
  for (const dataSet of dataSets) {
    for (const element of dataSet) {
      const { tag, items } = element;
      if (isPrivate(tag) && !wish.isPrivate) continue;
      const path = `${prefix}${pathOf(dataSet, tag)}`;
      const match = matchElement(dataSet, element, wish);
      if (match !== undefined) yield { path, ...match };
      for (const [number, item] of (items ?? []).entries()) yield* matchAll([item], `${path}[${number}].`, wish);
    }
  }
}

function matchElement(
  dataSet: DataSet,
  element: DataElement,
  { text, isInValues, isInKeywords }: SearchWish,
): Omit<SearchMatch, 'file' | 'path'> | undefined {
  const { tag, items } = element;
  const { keyword, name } = nameOfTag(dataSet, tag);
  const value = items === undefined ? toText(buildTagValue(dataSet, element, CAPS)) : undefined;
  const at = isInValues ? (value?.toLowerCase().indexOf(text) ?? -1) : -1;
  const isNamed = isInKeywords && [keyword, name, tagToString(tag)].some((one) => one.toLowerCase().includes(text));
  if (at < 0 && !isNamed) return undefined;
  const vr = element.vr.length === 2 ? element.vr : dataSet.readAs(tag);
  return { tag: tagToString(tag), keyword, vr, value: value === undefined ? null : showAround(value, Math.max(0, at)) };
}

/** The path that names the element as a column. */
function pathOf(dataSet: DataSet, tag: number): string {
  const hasCreator = isPrivate(tag) && (tag & 0xffff) > 0xff;
  const creator = hasCreator ? dataSet.string(creatorTag(tag)) : undefined;
  if (creator === undefined) return nameOfElement({ tag });
  return nameOfElement({ creator, group: tag >>> 16, element: tag & 0xff });
}

function toText({ value }: ShownValue): string | undefined {
  switch (value.type) {
    case 'string':
    case 'number':
      return String(value.value);
    case 'strings':
    case 'numbers':
      return value.value.join('\\');
    case 'binary':
      return undefined;
    case 'empty':
      return '';
    case 'error':
      return value.text;
  }
}

/** The part of a long text that has what was found. */
function showAround(text: string, at: number): string {
  if (text.length <= MOST_SHOWN) return text;
  const from = Math.max(0, Math.min(at - MOST_SHOWN / 4, text.length - MOST_SHOWN));
  const to = from + MOST_SHOWN;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
