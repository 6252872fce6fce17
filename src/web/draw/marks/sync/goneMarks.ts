import type { MarkChanges } from '../../../kit/api/marks.ts';
import { definePart } from '../../../kit/state/page.ts';

type Versioned = { readonly id: number; readonly revision: number };

/**
 * What the server has said of marks that are gone. An answer to an earlier request, such as the one that made a mark, may
 * arrive after another tab has deleted it, and may be of a mark of which the page did not know that it was there.
 */
export const goneMarksOf = definePart((page) => {
  /** The revision at which each was gone. A mark that is made again has the same number and a later revision. */
  const gone = new Map<number, number>();
  let whole: { readonly revision: number; readonly ids: ReadonlySet<number> } = { revision: -1, ids: new Set() };
  page.onRestartFirst(() => {
    gone.clear();
    whole = { revision: -1, ids: new Set() };
  });
  return {
    hear({ marks, deleted, revision, whole: isWhole }: MarkChanges): void {
      for (const id of deleted) gone.set(id, revision);
      if (isWhole) whole = { revision, ids: new Set(marks.map(({ id }) => id)) };
    },
    has: ({ id, revision }: Versioned): boolean =>
      revision <= (gone.get(id) ?? -1) || (revision <= whole.revision && !whole.ids.has(id)),
  };
});
