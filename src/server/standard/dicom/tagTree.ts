import type { TagNode } from '../../../shared/contract/tags.ts';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { encodeTexts, writeArray } from '../../machine/workers/jsonPieces.ts';
import type { DataElement, DataSet } from './dataSet.ts';
import type { OmittedElements } from './elementTable.ts';
import { dictionaryVr, findDictionaryEntry, isPrivate } from './dictionary.ts';
import { readDicom } from './readDataSet.ts';
import type { LimitFlagCode } from './readFlags.ts';
import * as Tag from './tag.ts';
import { buildTagValue, PREVIEW_CAPS, readAsOf, type ValueCaps } from './tagValue.ts';

export type TagTreeOptions = {
  /** Levels of elements: 1 is the data set itself. */
  readonly depth: number;
  /** Number of items shown of each sequence. */
  readonly items: number;
};

/** More nodes would not be useful; these are about ten megabytes of JSON. */
export const TREE_LIMITS = { maxElements: 100_000 };
/** Longer values are read when their node is written, one at a time. */
export const TREE_VALUE_BYTES = 256;

type Json = Uint8Array<ArrayBuffer>;

/** The elements of an object in tag order, file meta information first, with previews of their values: TagNode[]. */
export function writeTagTree(source: ByteSource, { depth, items }: TagTreeOptions): Json {
  const { meta, dataSet } = readDicom(source, {
    limits: TREE_LIMITS,
    maxValueBytes: TREE_VALUE_BYTES,
    filter: {
      element: () => true,
      item: (level, index) => level + 1 < depth && index < items,
    },
  });
  return encodeTexts(writeNodes([meta, dataSet]));
}

/** One element with all items that were kept: TagNode. */
export function writeTagNode(dataSet: DataSet, element: DataElement, caps: ValueCaps): Json {
  return encodeTexts(writeNode(dataSet, { element, caps }));
}

/** Writes the elements of all these data sets as one list. */
function* writeNodes(dataSets: readonly DataSet[]): Generator<string, void> {
  let separator = '[';
  for (const dataSet of dataSets) {
    for (const element of dataSet) {
      yield separator;
      separator = ',';
      yield* writeNode(dataSet, { element, caps: PREVIEW_CAPS });
    }
    if (dataSet.omitted === undefined) continue;
    yield separator + writeOmitted(dataSet, dataSet.omitted);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** The reader limits the nesting. */
function* writeNode(
  dataSet: DataSet,
  { element, caps }: { readonly element: DataElement; readonly caps: ValueCaps },
): Generator<string, void> {
  const { tag, items } = element;
  const vr = element.vr.length === 2 ? element.vr : dataSet.readAs(tag);
  if (items === undefined) {
    const shown = buildTagValue(dataSet, element, caps);
    const isRead = shown.value.type !== 'binary' && shown.value.type !== 'empty';
    const readAs = isRead ? readAsOf(dataSet, element) : vr;
    yield stringify(dataSet, { tag, vr, readAs, shown });
    return;
  }
  const { itemCount: total = items.length } = element;
  const value: TagNode['value'] = { type: 'sequence', items: [] };
  const text = stringify(dataSet, {
    tag,
    vr,
    shown: items.length < total ? { value, truncated: true, total } : { value },
  });
  // The items replace the empty list at the end.
  yield text.slice(0, -'[]}}'.length);
  yield* writeArray(items, (item) => writeNodes([item]));
  yield '}}';
}

type Described = { readonly tag: number; readonly vr: string; readonly readAs?: string; readonly shown: Shown };
type Shown = Pick<TagNode, 'value' | 'truncated' | 'total'>;

/** Puts the value last. */
function stringify(dataSet: DataSet, { tag, vr, readAs = vr, shown }: Described): string {
  const { keyword, name, creator } = nameOfTag(dataSet, tag);
  const { truncated, total, value } = shown;
  // No spreads: for a hundred thousand nodes they would take most of the time. JSON omits undefined properties.
  const node: { readonly [Key in keyof TagNode]: TagNode[Key] | undefined } = {
    tag: Tag.tagToString(tag),
    vr,
    read_as: readAs === vr ? undefined : readAs,
    keyword,
    name,
    creator,
    truncated,
    total,
    value,
  };
  return JSON.stringify(node);
}

/** The last node of a list that was cut by a limit, with the tag at which it was cut. */
function writeOmitted(dataSet: DataSet, { tag, count, limit }: OmittedElements): string {
  const vr = dictionaryVr(tag) ?? 'UN';
  const what = count === undefined ? 'what follows is' : count === 1 ? 'this element is' : `${count} elements are`;
  const value: TagNode['value'] = { type: 'error', message: `${what} not shown: ${LIMIT_REASONS[limit]}` };
  const shown: Shown = { value, truncated: true, ...(count !== undefined && { total: count }) };
  return stringify(dataSet, { tag, vr: vr.length === 2 ? vr : 'UN', shown });
}

const LIMIT_REASONS = {
  element_limit: 'the object has too many elements',
  byte_limit: 'the header is too long',
  depth_limited: 'sequences are nested too deeply',
  fragment_limit: 'the pixel data has too many fragments',
} as const satisfies Record<LimitFlagCode, string>;

/** What the dictionary calls an element, and who made it if it is private. */
export function nameOfTag(dataSet: DataSet, tag: number): Pick<TagNode, 'keyword' | 'name' | 'creator'> {
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

/** The element that names the creator of a private element: (gggg,00bb) for (gggg,bbxx). PS3.5 7.8.1. */
export function creatorTag(tag: number): number {
  return (tag >>> 16) * 0x10000 + ((tag & 0xff00) >>> 8);
}
