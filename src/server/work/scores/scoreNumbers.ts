import type { PeopleColumnInfo } from '../../images/tables/peopleColumn.ts';

/** A number of a score file: its column there and in the table, and what stands for several parts of one series. */
export type ScoreNumber = PeopleColumnInfo & { readonly merge: 'lowest' | 'highest' | 'total' };

/** Of several parts the worst counts. The first one says which part that is. */
export const SCORE_NUMBERS: readonly ScoreNumber[] = [
  { name: 'dice', title: 'Dice, lowest of all parts', merge: 'lowest', isUsual: true },
  { name: 'iou', title: 'IoU, lowest of all parts', merge: 'lowest' },
  { name: 'precision', title: 'Precision, lowest of all parts', merge: 'lowest' },
  { name: 'recall', title: 'Recall, lowest of all parts', merge: 'lowest' },
  { name: 'nsd', title: 'Normalised surface distance, lowest of all parts', merge: 'lowest' },
  { name: 'hd95_mm', title: 'HD95 in mm, highest of all parts', merge: 'highest', isUsual: true },
  { name: 'hd_mm', title: 'Hausdorff distance in mm, highest of all parts', merge: 'highest' },
  { name: 'assd_mm', title: 'ASSD in mm, highest of all parts', merge: 'highest' },
  { name: 'components_missed', title: 'Components that were missed', merge: 'total' },
  { name: 'components_false', title: 'Components that are false', merge: 'total' },
];

/** Counted by the reader: such parts have no other number. */
export const UNPAIRED_PARTS: ScoreNumber = {
  name: 'unpaired_parts',
  title: 'Parts without a partner',
  merge: 'total',
};

export const ALL_SCORES: readonly ScoreNumber[] = [...SCORE_NUMBERS, UNPAIRED_PARTS];

/** Those of which each part has a column of its own. */
export const PART_SCORES: readonly ScoreNumber[] = SCORE_NUMBERS.filter(
  ({ name }) => name === 'dice' || name === 'hd95_mm',
);

export function worseOf(merge: ScoreNumber['merge'], a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  if (Number.isNaN(b)) return a;
  if (merge === 'total') return a + b;
  return merge === 'lowest' ? Math.min(a, b) : Math.max(a, b);
}
