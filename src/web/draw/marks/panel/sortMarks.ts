import type { LabelClass } from '../../../../shared/contract/marks.ts';
import { compareNames } from '../../../show/series/compareNames.ts';
import { orderOf } from '../../../kit/state/frameOrder.ts';
import { stackOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { classKeyOf } from '../shapes/hiddenMarks.ts';
import { NO_WORDS } from '../shapes/measurement.ts';
import type { ListedMark } from './useListedMarks.ts';

/** Which marks a list shows: of all classes, of one, or (null) those without a class that the scheme has. */
export type MarkFilter = { readonly text: string; readonly wanted: { readonly key: string | null } | 'all' };

export function filterMarks<Mark extends SortedMark>(
  marks: readonly Mark[],
  { text, wanted }: MarkFilter,
  classes: readonly LabelClass[],
): readonly Mark[] {
  const searched = text.trim().toLowerCase();
  return marks.filter((mark) => {
    const key = classKeyOf(mark, classes);
    const { label, text: said, comment, author } = mark.words ?? NO_WORDS;
    const title = classes.find((one) => one.key === key)?.title ?? '';
    const texts = [mark.title, label, said, comment, author, title, mark.file.label];
    const isFound = texts.some((one) => one.toLowerCase().includes(searched));
    return isFound && (wanted === 'all' || (mark.words !== undefined && wanted.key === key));
  });
}

/** The number of marks of each class; null stands for those without one. ROIs cannot have a class. */
export function countByClass(
  marks: readonly SortedMark[],
  classes: readonly LabelClass[],
): ReadonlyMap<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const mark of marks) {
    if (mark.words === undefined) continue;
    const key = classKeyOf(mark, classes);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

export const MARK_ORDERS = ['time', 'label', 'class', 'image', 'kind'] as const;
export type MarkOrder = (typeof MARK_ORDERS)[number];

export type SortedMark = Pick<ListedMark, 'title' | 'file' | 'frame' | 'words'>;

/** Marks that are equal in this order stay in the order of time. Those without a label or a class come last. */
export function sortMarks<Mark extends SortedMark>(
  page: Page,
  marks: readonly Mark[],
  order: MarkOrder,
  classes: readonly LabelClass[],
): readonly Mark[] {
  const rankOf = ({ words }: Mark) => {
    const rank = classes.findIndex(({ key }) => key === words?.class);
    return rank < 0 ? classes.length : rank;
  };
  switch (order) {
    case 'time':
      return marks;
    case 'label':
      return marks.toSorted(
        (a, b) => Number(labelOf(a) === '') - Number(labelOf(b) === '') || compareNames(labelOf(a), labelOf(b)),
      );
    case 'class':
      return marks.toSorted((a, b) => rankOf(a) - rankOf(b));
    case 'kind':
      return marks.toSorted((a, b) => compareNames(a.title, b.title));
    case 'image': {
      const places = marks.map((one) => ({ one, place: placeOf(page, one) }));
      const sorted = places.toSorted((a, b) => a.place.stack - b.place.stack || a.place.position - b.place.position);
      return sorted.map(({ one }) => one);
    }
  }
}

function labelOf({ words }: SortedMark): string {
  return words?.label ?? '';
}

/** The first file of its stack, and its place in the shown order of the stack. */
function placeOf(page: Page, { frame, file }: SortedMark) {
  const stack = stackOf(page, file);
  const position = orderOf(stack, file).positions.get(frame);
  return { stack: stack.fileIndex, position: position ?? frame };
}

export type Choice = {
  /** The uids of all rows, in their order. */
  readonly rows: readonly string[];
  readonly chosen: ReadonlySet<string>;
  /** The row that was chosen before, where a range begins. */
  readonly anchor: string | undefined;
  readonly isRange: boolean;
  /** Whether what was chosen before stays chosen. */
  readonly isAdded: boolean;
};

/** What is chosen after a click on a row. With `isAdded` and no range, the click also takes a row out. */
export function chooseRow(id: string, { rows, chosen, anchor, isRange, isAdded }: Choice): ReadonlySet<string> {
  const [from, to] = [rows.indexOf(anchor ?? id), rows.indexOf(id)];
  if (isRange && from >= 0 && to >= 0) {
    const range = rows.slice(Math.min(from, to), Math.max(from, to) + 1);
    return new Set([...(isAdded ? chosen : []), ...range]);
  }
  if (!isAdded) return new Set([id]);
  return new Set(chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id]);
}
