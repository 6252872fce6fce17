import { ViewerError } from '../../../shared/contract/errors.ts';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import type { DataElement, DataSet } from './dataSet.ts';
import { isPrivate } from './dictionary.ts';
import { readDicom, type ReadOptions } from './readDataSet.ts';
import * as Tag from './tag.ts';
import { creatorTag, TREE_LIMITS, TREE_VALUE_BYTES, writeTagNode } from './tagTree.ts';
import { SELECTION_CAPS } from './tagValue.ts';

/** `(0008,2218)/0/(0008,0100)`: pairs of a sequence tag and an item index, counted from 0, followed by the last tag. */
export type TagPath = {
  readonly sequences: readonly { readonly tag: number; readonly item: number }[];
  readonly tag: number;
};

export type ItemRange = {
  /** First item shown of a selected sequence. */
  readonly offset: number;
  /** Number of items shown. */
  readonly limit: number;
};

/**
 * Finds one element by reading the file up to it; other elements are skipped by their length if it is defined. A
 * selected leaf is returned whole. Returns the JSON of a TagNode.
 */
export function writeSelectedTag(
  source: ByteSource,
  path: string,
  { offset, limit }: ItemRange,
): Uint8Array<ArrayBuffer> {
  const parsed = parseTagPath(path);
  const [dataSet, element] = findElement(source, parsed, { offset, limit });
  if (element.items === undefined && offset > 0) {
    throw new ViewerError(
      'invalid_query',
      `${Tag.tagToString(parsed.tag)} is not a sequence, so offset does not apply`,
    );
  }
  return writeTagNode(dataSet, element, SELECTION_CAPS);
}

/** Accepts upper and lower case, with or without parentheses. */
function parseTagPath(path: string): TagPath {
  const segments = path.split('/');
  const tags = segments.filter((_, index) => index % 2 === 0).map(parseTag);
  const items = segments.filter((_, index) => index % 2 === 1).map(parseItem);
  const tag = tags.at(-1);
  if (tag === undefined || tags.length !== items.length + 1) {
    throw new ViewerError('invalid_query', 'a tag path must end with a tag, as in (0008,2218)/0/(0008,0100)');
  }
  return { sequences: items.map((item, index) => ({ tag: tags[index] ?? 0, item })), tag };
}

function parseTag(segment: string): number {
  const [, group, element] = /^(?=\(.*\)$|[^()]*$)\(?([0-9A-Fa-f]{4}),([0-9A-Fa-f]{4})\)?$/.exec(segment) ?? [];
  if (group === undefined || element === undefined) {
    throw new ViewerError('invalid_query', `${JSON.stringify(segment)} in the path is not a tag such as (0008,2218)`);
  }
  return parseInt(group + element, 16);
}

function parseItem(segment: string): number {
  if (/^\d{1,9}$/.test(segment)) return Number(segment);
  throw new ViewerError('invalid_query', `${JSON.stringify(segment)} in the path is not an item index`);
}

function findElement(source: ByteSource, path: TagPath, selection: ItemRange): readonly [DataSet, DataElement] {
  const options: ReadOptions = {
    filter: createFilter(path, selection),
    limits: TREE_LIMITS,
    maxValueBytes: TREE_VALUE_BYTES,
  };
  const first = path.sequences[0]?.tag ?? path.tag;
  // Reading beyond the place of the tag is needed only for files whose elements are out of order.
  const found =
    walk(readDicom(source, { ...options, until: first + 1 }), path) ?? walk(readDicom(source, options), path);
  if (found === undefined) throw new ViewerError('tag_not_found', 'the object has no such element or item');
  return found;
}

function walk(
  { meta, dataSet }: { meta: DataSet; dataSet: DataSet },
  { sequences, tag }: TagPath,
): readonly [DataSet, DataElement] | undefined {
  const first = sequences[0]?.tag ?? tag;
  let at: DataSet | undefined = first >>> 16 === 2 ? meta : dataSet;
  // The filter has kept one item of each sequence on the path.
  for (const sequence of sequences) at = at?.items(sequence.tag)[0];
  const element = at?.element(tag);
  return at === undefined || element === undefined ? undefined : [at, element];
}

/** Keeps the elements on the path and those that the meaning of their values depends on. */
function createFilter(
  { sequences, tag: last }: TagPath,
  { offset, limit }: ItemRange,
): NonNullable<ReadOptions['filter']> {
  const target = sequences.length;
  return {
    element(depth, tag) {
      if (depth > target) return true;
      const wanted = sequences[depth]?.tag ?? last;
      if (tag === wanted || tag === Tag.SpecificCharacterSet || tag === Tag.PixelRepresentation) return true;
      return isPrivate(wanted) && tag === creatorTag(wanted);
    },
    item(depth, index) {
      if (depth < target) return index === sequences[depth]?.item;
      // Everything below the selected items is returned: only TREE_LIMITS bounds it.
      return depth > target || (index >= offset && index < offset + limit);
    },
  };
}
