import type { Attributes } from './dataSet.ts';
import { type ElementName, type ElementPath, isOfMeta, type SequenceStep } from './elementPath.ts';
import { findPrivateTag, FIRST_BLOCK, LAST_BLOCK } from './privateElement.ts';
import * as Tag from './tag.ts';

/** An object as far as it was read. */
export type ReadHeader = { readonly attributes: Attributes; readonly meta: Attributes };

/** Where a value is: an element of the object, or of one of its items. */
export type ElementPlace = { readonly attributes: Attributes; readonly tag: number };

/** Items of a sequence that a path with `[*]` goes through: as many as a column has values of. */
const MOST_ITEMS = 64;

/** Above this number of private blocks, it takes less time to look at every element than to list the possible tags. */
const MOST_PRIVATE = 16;

/** What has to be read of a file for some paths, and how the values are found in what was read. */
export type PathPlan = {
  /** The top-level elements of the data set. Undefined: these are too many, ask `keepsElement` for each. */
  readonly tags: readonly number[] | undefined;
  readonly metaTags: readonly number[];
  /** Whether an element comes after the pixel data. */
  readonly isBeyondPixels: boolean;
  readonly keepsElement: (depth: number, tag: number) => boolean;
  readonly keepsItem: (depth: number, index: number) => boolean;
  /** The elements that a path names; empty if the file has none. */
  readonly find: (header: ReadHeader, path: ElementPath) => readonly ElementPlace[];
};

/**
 * `isWithHeader`: what the scan of a file needs is read as well, that is the first item of each sequence with all that is in
 * it.
 */
export function planPaths(paths: readonly ElementPath[], { isWithHeader = false } = {}): PathPlan {
  const ofData = paths.filter((path) => !isOfMeta(path));
  const levels = listLevels(ofData);
  const keepsItem = (depth: number, index: number) =>
    (isWithHeader && (depth > 0 || index === 0)) || levels[depth]?.items.has(index) === true || isOfAll(depth, index);
  const isOfAll = (depth: number, index: number) => levels[depth]?.hasAll === true && index < MOST_ITEMS;
  const isWhole = (depth: number) => isWithHeader && depth > 0;

  /** The place of an item among those that are kept. */
  const placeOf = (depth: number, item: number): number => {
    if (isWhole(depth)) return item;
    const { items, hasAll } = levels[depth]!;
    const kept = new Set(items);
    if (isWithHeader) kept.add(0);
    let before = hasAll ? Math.min(item, MOST_ITEMS) : 0;
    for (const index of kept) if (index < item && !(hasAll && index < MOST_ITEMS)) before += 1;
    return before;
  };

  function* itemsOf(within: Attributes, { element, item }: SequenceStep, depth: number): Generator<Attributes> {
    const tag = tagIn(within, element);
    if (tag === undefined) return;
    const items = within.items(tag);
    if (item === 'all') yield* items.slice(0, MOST_ITEMS);
    else {
      const found = items[placeOf(depth, item)];
      if (found !== undefined) yield found;
    }
  }

  const privateElements = levels[0]?.privateElements ?? [];
  const top = levels[0]?.tags ?? new Set<number>();
  return {
    tags: privateElements.length > MOST_PRIVATE ? undefined : [...top, ...privateElements.flatMap(listPossible)],
    metaTags: paths.filter(isOfMeta).map(({ element }) => ('tag' in element ? element.tag : 0)),
    isBeyondPixels: Math.max(0, ...top) > Tag.PixelData || privateElements.some(({ group }) => group > LAST_GROUP),
    keepsElement(depth, tag) {
      if (isWhole(depth) || tag === Tag.SpecificCharacterSet || tag === Tag.PixelRepresentation) return true;
      const level = levels[depth];
      if (level === undefined) return false;
      return level.tags.has(tag) || level.privateElements.some((wanted) => isPossible(wanted, tag));
    },
    keepsItem,
    find(header, path) {
      let within: readonly Attributes[] = [isOfMeta(path) ? header.meta : header.attributes];
      for (const [depth, step] of path.sequences.entries()) {
        within = within.flatMap((attributes) => [...itemsOf(attributes, step, depth)]);
      }
      return within.flatMap((attributes) => {
        const tag = tagIn(attributes, path.element);
        return tag === undefined ? [] : [{ attributes, tag }];
      });
    },
  };
}

/** That of the pixel data. */
const LAST_GROUP = 0x7fe0;

type Private = Exclude<ElementName, { readonly tag: number }>;

/** What paths name at one depth. */
type Level = {
  readonly tags: Set<number>;
  readonly privateElements: Private[];
  readonly items: Set<number>;
  hasAll: boolean;
};

function listLevels(paths: readonly ElementPath[]): readonly Level[] {
  const levels: Level[] = [];
  const levelAt = (depth: number) =>
    (levels[depth] ??= { tags: new Set(), privateElements: [], items: new Set(), hasAll: false });
  const add = (depth: number, element: ElementName) => {
    if ('tag' in element) levelAt(depth).tags.add(element.tag);
    else levelAt(depth).privateElements.push(element);
  };
  for (const { sequences, element } of paths) {
    for (const [depth, step] of sequences.entries()) {
      add(depth, step.element);
      if (step.item === 'all') levelAt(depth).hasAll = true;
      else levelAt(depth).items.add(step.item);
    }
    add(sequences.length, element);
  }
  return levels;
}

function tagIn(attributes: Attributes, element: ElementName): number | undefined {
  const tag = 'tag' in element ? element.tag : findPrivateTag(attributes, element);
  return tag !== undefined && attributes.has(tag) ? tag : undefined;
}

/** The tags that an element can have, with those of the creators. */
function listPossible({ group, element }: Private): number[] {
  const tags: number[] = [];
  for (let block = FIRST_BLOCK; block <= LAST_BLOCK; block += 1) {
    tags.push(group * 0x10000 + block, group * 0x10000 + block * 0x100 + element);
  }
  return tags;
}

function isPossible({ group, element }: Private, tag: number): boolean {
  if (tag >>> 16 !== group) return false;
  const number = tag & 0xffff;
  return (number >= FIRST_BLOCK && number <= LAST_BLOCK) || (number > LAST_BLOCK && (number & 0xff) === element);
}
