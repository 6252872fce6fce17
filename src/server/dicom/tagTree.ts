import type { TagNode } from '../../shared/contract/tags.ts';
import type { ByteSource } from './byteSource.ts';
import type { DataElement, DataSet } from './dataSet.ts';
import { findDictionaryEntry, isPrivate } from './dictionary.ts';
import { readDicom } from './readDataSet.ts';
import * as Tag from './tag.ts';
import { buildTagValue, PREVIEW_CAPS, type ValueCaps } from './tagValue.ts';

export type TagTreeOptions = {
  /** Levels of elements: 1 is the data set itself. */
  readonly depth: number;
  /** Items shown of each sequence. */
  readonly items: number;
};

/** A tree of more nodes would be of no use to anybody. */
const MAX_NODES = 200_000;

/** The elements of an object in tag order, file meta information first, with previews of their values. */
export function buildTagTree(source: ByteSource, { depth, items }: TagTreeOptions): TagNode[] {
  const { meta, dataSet } = readDicom(source, {
    limits: { maxElements: MAX_NODES },
    filter: {
      element: () => true,
      item: (level, index) => level + 1 < depth && index < items,
    },
  });
  return [...buildTagNodes(meta), ...buildTagNodes(dataSet)];
}

function buildTagNodes(dataSet: DataSet): TagNode[] {
  return [...dataSet].map((element) => buildTagNode(dataSet, element, PREVIEW_CAPS));
}

/** One element with everything that was kept of the items in it. Nesting is bounded by the reader. */
export function buildTagNode(dataSet: DataSet, element: DataElement, caps: ValueCaps): TagNode {
  const { tag, items } = element;
  const vr = element.vr.length === 2 ? element.vr : dataSet.readAs(tag);
  const head = { tag: Tag.tagToString(tag), vr, ...nameOf(dataSet, tag) };
  if (items === undefined) return { ...head, ...buildTagValue(dataSet, element, caps) };
  const total = element.itemCount ?? items.length;
  return {
    ...head,
    value: { type: 'sequence', items: items.map(buildTagNodes) },
    ...(items.length < total && { truncated: true, total }),
  };
}

function nameOf(dataSet: DataSet, tag: number): Pick<TagNode, 'keyword' | 'name' | 'creator'> {
  const element = tag & 0xffff;
  if (isPrivate(tag)) {
    if (element >= 0x10 && element <= 0xff) return { keyword: '', name: 'Private Creator' };
    const creator = dataSet.string(creatorTag(tag));
    return { keyword: '', name: 'Private Element', ...(creator !== undefined && { creator }) };
  }
  const entry = findDictionaryEntry(tag);
  if (entry !== undefined) return { keyword: entry.keyword, name: entry.name };
  return element === 0
    ? { keyword: 'GenericGroupLength', name: 'Generic Group Length' }
    : { keyword: '', name: 'Unknown' };
}

/** The element that names who defines a private one: (gggg,00bb) for (gggg,bbxx). PS3.5 7.8.1. */
export function creatorTag(tag: number): number {
  return (tag >>> 16) * 0x10000 + ((tag & 0xff00) >>> 8);
}
