import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import { say } from '../../../kit/state/messages.ts';
import { haveSameItems } from '../../../kit/state/haveSameItems.ts';
import { isRoi, type PageMark, masksOf, parseFrameKey, toMark, toMeasurement } from '../sync/markForm.ts';
import {
  recordMarks,
  createMarkUid,
  type MarkChange,
  marksOf,
  type MarksState,
  selectMark,
  shapesOf,
} from '../sync/marks.ts';
import { labelsOf } from './labels.ts';
import { withSeenForm } from './boxInPatient.ts';
import { type MarkWords, type Measurement, NO_WORDS } from './measurement.ts';
import { withDrawnSlice } from './throughStack.ts';

/** What is being drawn or dragged, and what is asked about it. */
export type DrawingState = {
  /** A new shape, or a changed form of the one with the same uid. */
  readonly draft: Measurement | undefined;
  /** The arrow that was just drawn, whose text the page asks for. */
  readonly asked: string | undefined;
  /** The selected ROI, as a rectangle that is measured like the others. */
  readonly roi: Measurement | undefined;
};

export const NO_DRAWING: DrawingState = { draft: undefined, asked: undefined, roi: undefined };

export const drawingOf = definePart((page) => {
  const store = createStore<DrawingState>(() => NO_DRAWING);
  page.onRestart(() => store.setState(NO_DRAWING));
  return store;
});

export function useDrawing<T>(select: (state: DrawingState) => T): T {
  return useStore(drawingOf(usePage()), select);
}

/** What was determined of a shape. */
type Facts = Partial<Pick<Measurement, 'scale' | 'values'>>;

type Listed = Pick<MarksState, 'marks' | 'learned'> & { readonly shapes: readonly Measurement[] };

/** The list that was made last, and in which order the marks came. */
const listsOf = definePart((page) => {
  const known: { list: Listed | undefined; readonly ranks: Map<string, number> } = {
    list: undefined,
    ranks: new Map(),
  };
  page.onRestart(() => {
    known.ranks.clear();
  });
  return known;
});

/** All shapes in order of creation, which undoing a deletion does not change. */
export function listShapes(page: Page): readonly Measurement[] {
  const known = listsOf(page);
  const { marks, learned } = marksOf(page).getState();
  if (known.list?.marks === marks && known.list.learned === learned) return known.list.shapes;
  const before = known.list?.shapes ?? [];
  const shapes: Measurement[] = [];
  let isInOrder = true;
  let last = -1;
  for (const [uid, mark] of marks) {
    const shape = toShape(page, uid, mark);
    if (shape === undefined) continue;
    const rank = known.ranks.get(uid) ?? known.ranks.size;
    known.ranks.set(uid, rank);
    isInOrder &&= rank > last;
    last = rank;
    shapes.push(shape);
  }
  if (!isInOrder) shapes.sort((a, b) => known.ranks.get(a.uid)! - known.ranks.get(b.uid)!);
  // The same list while nothing in it has changed, such as when masks are painted.
  known.list = { marks, learned, shapes: haveSameItems(shapes, before) ? before : shapes };
  return known.list.shapes;
}

/** Forms do not change, so that the same shape is the same object. */
function toShape(page: Page, uid: string, mark: PageMark): Measurement | undefined {
  const shape = shapesOf(page).get(mark) ?? toMeasurement(uid, mark);
  if (shape !== undefined) shapesOf(page).set(mark, shape);
  return shape;
}

export function findShape(page: Page, uid: string | undefined): Measurement | undefined {
  const mark = uid === undefined ? undefined : marksOf(page).getState().marks.get(uid);
  return uid === undefined || mark === undefined ? undefined : toShape(page, uid, mark);
}

export function findSelectedShape(page: Page): Measurement | undefined {
  return findShape(page, marksOf(page).getState().selected);
}

export function createMeasurement(page: Page, item: Omit<Measurement, 'uid' | 'words'>): Measurement {
  const words = { ...NO_WORDS, class: labelsOf(page).getState().nextClass };
  return { words, uid: createMarkUid(), ...item };
}

export function setDraft(page: Page, draft: Measurement | undefined): void {
  drawingOf(page).setState({ draft });
}

export function setMeasuredRoi(page: Page, roi: Measurement | undefined): void {
  drawingOf(page).setState({ roi });
}

export function askForText(page: Page, asked: string | undefined): void {
  drawingOf(page).setState({ asked });
}

/** Adds the measurement or replaces the one with the same uid, and selects it. */
export function keepMeasurement(page: Page, item: Measurement): void {
  const kept = withSeenForm(withDrawnSlice(item));
  const after = toMark(kept);
  addFacts(page, item.uid, after, kept);
  changeShapes(page, [{ uid: item.uid, before: marksOf(page).getState().marks.get(item.uid), after }], item);
  setDraft(page, undefined);
  selectMark(page, item.uid);
}

function addFacts(page: Page, uid: string, mark: PageMark, { scale, values }: Facts): void {
  const shape = toShape(page, uid, mark);
  if (shape === undefined) return;
  shapesOf(page).set(mark, { ...shape, scale: scale ?? shape.scale, values: values ?? shape.values });
}

/** In one step of undo. Locked ones stay. */
export function deleteForms(page: Page, uids: Iterable<string>): void {
  changeFree(page, uids, () => undefined);
}

/** Changes what is said of marks, in one step of undo. Locked ones stay as they are, unless they are unlocked. */
export function changeMarkWords(page: Page, uids: Iterable<string>, change: Partial<MarkWords>): void {
  changeFree(page, uids, (mark) => ({ ...mark, ...change }), change.locked);
}

function changeFree(
  page: Page,
  uids: Iterable<string>,
  change: (mark: PageMark) => PageMark | undefined,
  locks?: boolean,
): void {
  const { marks } = marksOf(page).getState();
  const listed = [...uids].flatMap((uid) => {
    const mark = marks.get(uid);
    // ROIs have no words, and are deleted in the list of their file.
    return mark === undefined || isRoi(mark) ? [] : [{ uid, mark }];
  });
  const free = listed.filter(({ mark }) => locks === false || !mark.locked);
  if (locks === undefined) sayLocked(page, listed.length - free.length);
  const changes = free.map(({ uid, mark }) => ({ uid, before: mark, after: change(mark) }));
  changeShapes(page, changes);
}

function sayLocked(page: Page, count: number): void {
  if (count === 0) return;
  const text = count === 1 ? 'A locked mark stays as it is' : `${count} locked marks stay as they are`;
  say(page, text, 'failed');
}

/** What was determined of measurements later. */
export type LearnedFacts = ReadonlyMap<Measurement, Facts>;

/** Adds facts of many at once, so that those who follow see one change; this is not an undoable step. */
export function noteFacts(page: Page, learned: LearnedFacts): void {
  const { marks } = marksOf(page).getState();
  for (const [item, facts] of learned) {
    const mark = marks.get(item.uid);
    const now = mark && toShape(page, item.uid, mark);
    if (mark !== undefined && now !== undefined && isSameForm(now, item)) addFacts(page, item.uid, mark, facts);
  }
  marksOf(page).setState((state) => ({ learned: state.learned + 1 }));
  const byUid = new Map(Array.from(learned, ([item, facts]) => [item.uid, { item, facts }]));
  const learn = (one: Measurement | undefined) => {
    const known = one && byUid.get(one.uid);
    return one !== undefined && known !== undefined && isSameForm(one, known.item) ? { ...one, ...known.facts } : one;
  };
  const { draft, roi } = drawingOf(page).getState();
  const [nextDraft, nextRoi] = [learn(draft), learn(roi)];
  if (nextDraft !== draft || nextRoi !== roi) drawingOf(page).setState({ draft: nextDraft, roi: nextRoi });
}

/** Everything that has numbers, the measurement being dragged first. */
export function listMeasured(page: Page): readonly Measurement[] {
  const { draft, roi } = drawingOf(page).getState();
  return [draft, roi, ...listShapes(page)].filter((item) => item !== undefined);
}

export function isSameForm(a: Measurement, b: Measurement): boolean {
  return a.uid === b.uid && a.points === b.points;
}

/** One step of undo, which is shown where it was made. */
function changeShapes(page: Page, changes: readonly MarkChange[], shownAt?: Measurement): void {
  const [first] = changes;
  if (first === undefined) return;
  const mark = first.after ?? first.before;
  const { fileIndex, frame } = shownAt ?? (mark && toShape(page, first.uid, mark)) ?? addressOfMask(mark);
  const type = mark?.place.type;
  recordMarks(page, changes, {
    fileIndex,
    frame,
    isOn: (shown) => shown === frame,
    isWhole: type === 'slide' ? true : undefined,
    isElsewhere: type === 'plane' || type === 'cut' || type === 'volume' ? true : undefined,
  });
}

function addressOfMask(mark: PageMark | undefined): FrameAddress {
  const [key = '0 0'] = mark === undefined ? [] : masksOf(mark).keys();
  return parseFrameKey(key);
}
