import type { DataSet } from '../dicom/dataSet.ts';
import * as Tag from '../dicom/tag.ts';

/** Deeper items are not read: real reports have a dozen levels. */
export const MOST_LEVELS = 64;

/** Where an item of a structured report is. */
export type ItemPlace<Context> = {
  /** Its place in the content tree, counted from 1. PS3.3 C.17.3.2.5. */
  readonly place: string;
  /** 0 for the item that the walk begins with. */
  readonly level: number;
  /** What `visit` has returned for the item around it. */
  readonly context: Context;
};

/**
 * Visits an item of a structured report, and then what is below it, in the order of the report. `visit` returns what
 * holds for the items below, or undefined to leave them out. References to other items are not followed, so there are no
 * circles.
 */
export function walkContent<Context>(
  root: DataSet,
  { place: first = '1', context: around }: { readonly place?: string; readonly context: Context },
  visit: (item: DataSet, at: ItemPlace<Context>) => Context | undefined,
): void {
  const walk = (item: DataSet, at: ItemPlace<Context>): void => {
    const context = visit(item, at);
    if (context === undefined || at.level >= MOST_LEVELS) return;
    for (const [index, child] of item.items(Tag.ContentSequence).entries()) {
      walk(child, { place: `${at.place}.${index + 1}`, level: at.level + 1, context });
    }
  };
  walk(root, { place: first, level: 0, context: around });
}

/** The place of the item that another one stands for; undefined if it is an item of its own. PS3.3 C.17.3.2.5. */
export function placeOfReferenced(item: DataSet): string | undefined {
  if (!item.has(Tag.ReferencedContentItemIdentifier)) return undefined;
  return item.numbers(Tag.ReferencedContentItemIdentifier, MOST_LEVELS).join('.');
}

/** The item itself, or the one that it stands for; undefined if that was not read. */
export function resolveItem(root: DataSet, item: DataSet): DataSet | undefined {
  if (!item.has(Tag.ReferencedContentItemIdentifier)) return item;
  const [first, ...path] = item.numbers(Tag.ReferencedContentItemIdentifier, MOST_LEVELS);
  let found: DataSet | undefined = first === 1 ? root : undefined;
  for (const place of path) found = found?.items(Tag.ContentSequence)[place - 1];
  return found;
}
