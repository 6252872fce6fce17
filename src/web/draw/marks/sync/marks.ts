import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { MarkJournalResponse, WireMark } from '../../../../shared/contract/marks.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import { type Step, stepsOf } from '../../../kit/state/stepHistory.ts';
import { isBrushTool, useTools } from '../../../kit/state/tools.ts';
import type { Measurement } from '../shapes/measurement.ts';
import { isSameGeometry, rebaseMark } from './compareForms.ts';
import { isMaskForm, type PageMark, wordsOf } from './markForm.ts';

export type MarksState = {
  /** Everything that is marked on this page, by uid. */
  readonly marks: ReadonlyMap<string, PageMark>;
  /** Counts what was determined of shapes (`shapesOf`). */
  readonly learned: number;
  readonly selected: string | undefined;
  /** Those that the user has chosen together, the selected one among them. */
  readonly chosen: ReadonlySet<string>;
  /** The mask that the next stroke changes; undefined for a new one. */
  readonly painted: string | undefined;
  /** Marks of the server that this page does not draw. */
  readonly others: ReadonlyMap<string, WireMark>;
  /** Marks that another client changed at the same time; this page's form was added as a copy. */
  readonly copies: number;
  /** What the last saved file does not hold. */
  readonly leftOut: { readonly name: string; readonly text: string } | undefined;
  readonly journal: MarkJournalResponse | undefined;
};

const NO_MARKS: MarksState = {
  marks: new Map(),
  learned: 0,
  selected: undefined,
  chosen: new Set(),
  painted: undefined,
  others: new Map(),
  copies: 0,
  leftOut: undefined,
  journal: undefined,
};

/** The only store of marks: shapes, masks and ROIs. */
export const marksOf = definePart((page) => {
  const store = createStore<MarksState>(() => NO_MARKS);
  page.onRestart(() => {
    stepsOf(page).forget(({ part }) => part === 'marks');
    store.setState(NO_MARKS);
  });
  return store;
});

export function useMarks<T>(select: (state: MarksState) => T): T {
  return useStore(marksOf(usePage()), select);
}

/** Whether there are masks, or the user is about to paint one. */
export function useBrush(): boolean {
  const areMasks = useMarks(({ marks }) => hasMasks(marks));
  return useTools(({ tool }) => isBrushTool(tool)) || areMasks;
}

function hasMasks(marks: MarksState['marks']): boolean {
  const known = masksAmong.get(marks) ?? [...marks.values()].some(isMaskForm);
  masksAmong.set(marks, known);
  return known;
}

const masksAmong = new WeakMap<MarksState['marks'], boolean>();

export function selectMark(page: Page, uid: string | undefined): void {
  chooseMarks(page, uid === undefined ? [] : [uid], uid);
}

/** Chooses several at once; one of them is selected. */
export function chooseMarks(page: Page, uids: Iterable<string>, selected: string | undefined): void {
  marksOf(page).setState({ selected, chosen: new Set(uids) });
}

/**
 * Puts these on the page in place of what is there, all at once, so that those who follow see one change. Those in `order`
 * then follow each other in this order.
 */
export function putMarks(
  page: Page,
  changed: ReadonlyMap<string, PageMark | undefined>,
  order: readonly string[] = [],
): void {
  const { marks, selected, chosen } = marksOf(page).getState();
  const next = new Map(marks);
  for (const [uid, mark] of changed) {
    if (mark === undefined) next.delete(uid);
    else next.set(uid, withKnownGeometry(page, marks.get(uid), mark));
  }
  const isGone = (uid: string) => changed.has(uid) && !next.has(uid);
  marksOf(page).setState({
    marks: arrange(next, order),
    ...(selected !== undefined && isGone(selected) && { selected: undefined }),
    ...([...chosen].some(isGone) && { chosen: new Set([...chosen].filter((uid) => !isGone(uid))) }),
  });
}

/** Marks of the group change places with each other only. */
function arrange(marks: ReadonlyMap<string, PageMark>, order: readonly string[]): ReadonlyMap<string, PageMark> {
  if (order.length < 2) return marks;
  const group = new Set(order);
  const present = [...marks.keys()].filter((uid) => group.has(uid));
  if (present.every((uid, n) => uid === order[n])) return marks;
  let n = 0;
  return new Map(
    [...marks].map(([uid, mark]) => {
      const other = group.has(uid) ? order[n++] : undefined;
      const found = other === undefined ? undefined : marks.get(other);
      return other === undefined || found === undefined ? [uid, mark] : [other, found];
    }),
  );
}

/** Shapes with what was determined of them, by their form: it is there again when a change is undone. */
export const shapesOf = definePart(() => new WeakMap<PageMark, Measurement>());

/** What was determined for the same points stays. */
function withKnownGeometry(page: Page, before: PageMark | undefined, mark: PageMark): PageMark {
  const shape = before && shapesOf(page).get(before);
  if (before === undefined || before === mark || shape === undefined || !isSameGeometry(before, mark)) return mark;
  const { place, points, slices } = before;
  // The type of both places is that of the one mark.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const kept = { ...mark, place, points, ...(slices !== undefined && { slices }) } as PageMark;
  shapesOf(page).set(kept, { ...shape, words: wordsOf(mark) });
  return kept;
}

export type MarkChange = {
  readonly uid: string;
  readonly before: PageMark | undefined;
  readonly after: PageMark | undefined;
};

/** One step of undo. What other clients have painted or changed since stays. */
export function recordMarks(
  page: Page,
  changes: readonly MarkChange[],
  place: Omit<Step, 'part' | 'undo' | 'redo'>,
): void {
  const apply = (from: 'before' | 'after', to: 'before' | 'after') => {
    const { marks } = marksOf(page).getState();
    putMarks(page, new Map(changes.map((one) => [one.uid, rebaseMark(marks.get(one.uid), one[from], one[to])])));
  };
  stepsOf(page).record({
    part: 'marks',
    ...place,
    undo: () => apply('after', 'before'),
    redo: () => apply('before', 'after'),
  });
  apply('before', 'after');
}

/** A UID that is made from random bits (PS3.5 B.2). `crypto.randomUUID` is missing over plain HTTP. */
export function createMarkUid(): string {
  const [high = 0n, low = 0n] = crypto.getRandomValues(new BigUint64Array(2));
  return `2.25.${(high << 64n) | low}`;
}
