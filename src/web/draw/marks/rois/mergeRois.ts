import type { AnnotationPayload } from '../../../../shared/contract/annotations.ts';
import { parsePayload, type RoiMark, toPayload } from './roi.ts';

export type Divergence = {
  /** The version that both sides started from. */
  readonly base: AnnotationPayload;
  readonly mine: AnnotationPayload;
  readonly theirs: AnnotationPayload;
};

/**
 * Their list, without what I removed and with what I added. A changed ROI counts as one removed and one added, so a ROI
 * that both sides changed appears twice and no rectangle is lost.
 */
export function mergeRois(divergence: Divergence): AnnotationPayload {
  const base = parsePayload(divergence.base);
  const mine = parsePayload(divergence.mine);
  const theirs = parsePayload(divergence.theirs);
  const added = without(without(mine, base), without(theirs, base));
  return toPayload([...without(theirs, without(base, mine)), ...added]);
}

function without(marks: readonly RoiMark[], others: readonly RoiMark[]): readonly RoiMark[] {
  return withoutEqual(marks, others, keyOf);
}

/** The items without an equal in `others`. Each of the others removes one item. */
export function withoutEqual<T>(items: readonly T[], others: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const counts = new Map<string, number>();
  for (const other of others) counts.set(nameOf(other), (counts.get(nameOf(other)) ?? 0) + 1);
  return items.filter((item) => {
    const count = counts.get(nameOf(item)) ?? 0;
    if (count > 0) counts.set(nameOf(item), count - 1);
    return count === 0;
  });
}

function keyOf({ box, frames }: RoiMark): string {
  return `${box.join(' ')} on ${frames.join(' ')}`;
}
