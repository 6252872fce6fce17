import type { LabelClass } from '../../../../shared/contract/marks.ts';
import { compareNames } from '../../../show/series/compareNames.ts';
import { orderOf } from '../../../kit/state/frameOrder.ts';
import { stackOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { MeasuredFile } from '../shapes/exportMeasurements.ts';
import { classKeyOf } from '../shapes/hiddenClasses.ts';
import { MEASURE_KINDS } from '../shapes/measureKinds.ts';
import { NO_WORDS } from '../shapes/measurement.ts';

/** Which marks a list shows: of all classes, of one, or (null) those without a class that the scheme has. */
export type MarkFilter = { readonly text: string; readonly wanted: { readonly key: string | null } | 'all' };

export function filterMarks(
  measured: readonly MeasuredFile[],
  { text, wanted }: MarkFilter,
  classes: readonly LabelClass[],
): readonly MeasuredFile[] {
  const searched = text.trim().toLowerCase();
  return measured.filter(({ item, file }) => {
    const key = classKeyOf(item, classes);
    const words = item.words ?? NO_WORDS;
    const title = classes.find((one) => one.key === key)?.title ?? '';
    const texts = [item.kind, MEASURE_KINDS[item.kind].title, words.label, words.text, words.comment, words.author];
    const isFound = [...texts, title, file.label].some((one) => one.toLowerCase().includes(searched));
    return isFound && (wanted === 'all' || wanted.key === key);
  });
}

/** The number of marks of each class; null stands for those without one. */
export function countByClass(
  measured: readonly MeasuredFile[],
  classes: readonly LabelClass[],
): ReadonlyMap<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const { item } of measured) {
    const key = classKeyOf(item, classes);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

export const MARK_ORDERS = ['time', 'label', 'class', 'image', 'kind'] as const;
export type MarkOrder = (typeof MARK_ORDERS)[number];

/** Marks that are equal in this order stay in the order of time. Those without a label or a class come last. */
export function sortMarks(
  page: Page,
  measured: readonly MeasuredFile[],
  order: MarkOrder,
  classes: readonly LabelClass[],
): readonly MeasuredFile[] {
  const rankOf = ({ item }: MeasuredFile) => {
    const rank = classes.findIndex(({ key }) => key === item.words?.class);
    return rank < 0 ? classes.length : rank;
  };
  switch (order) {
    case 'time':
      return measured;
    case 'label':
      return measured.toSorted(
        (a, b) => Number(labelOf(a) === '') - Number(labelOf(b) === '') || compareNames(labelOf(a), labelOf(b)),
      );
    case 'class':
      return measured.toSorted((a, b) => rankOf(a) - rankOf(b));
    case 'kind':
      return measured.toSorted((a, b) =>
        compareNames(MEASURE_KINDS[a.item.kind].title, MEASURE_KINDS[b.item.kind].title),
      );
    case 'image': {
      const places = measured.map((one) => ({ one, place: placeOf(page, one) }));
      const sorted = places.toSorted((a, b) => a.place.stack - b.place.stack || a.place.position - b.place.position);
      return sorted.map(({ one }) => one);
    }
  }
}

function labelOf({ item }: MeasuredFile): string {
  return item.words?.label ?? '';
}

/** The first file of its stack, and its place in the shown order of the stack. */
function placeOf(page: Page, { item, file }: MeasuredFile) {
  const stack = stackOf(page, file);
  const position = orderOf(stack, file).positions.get(item.frame);
  return { stack: stack.fileIndex, position: position ?? item.frame };
}

export type Choice = {
  /** The ids of all rows, in their order. */
  readonly rows: readonly number[];
  readonly chosen: ReadonlySet<number>;
  /** The row that was chosen before, where a range begins. */
  readonly anchor: number | undefined;
  readonly isRange: boolean;
  /** Whether what was chosen before stays chosen. */
  readonly isAdded: boolean;
};

/** What is chosen after a click on a row. With `isAdded` and no range, the click also takes a row out. */
export function chooseRow(id: number, { rows, chosen, anchor, isRange, isAdded }: Choice): ReadonlySet<number> {
  const [from, to] = [rows.indexOf(anchor ?? id), rows.indexOf(id)];
  if (isRange && from >= 0 && to >= 0) {
    const range = rows.slice(Math.min(from, to), Math.max(from, to) + 1);
    return new Set([...(isAdded ? chosen : []), ...range]);
  }
  if (!isAdded) return new Set([id]);
  return new Set(chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id]);
}
