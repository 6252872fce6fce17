import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import { say } from '../../../kit/state/messages.ts';
import { stepsOf } from '../../../kit/state/stepHistory.ts';
import { labelsOf } from './labels.ts';
import { withSeenForm } from './boxInPatient.ts';
import { isStored, type MarkWords, type Measurement, NO_WORDS } from './measurement.ts';
import { withDrawnSlice } from './throughStack.ts';

export type MeasureState = {
  /** In order of creation. */
  readonly items: readonly Measurement[];
  /** The measurement being dragged: a new one, or a changed form of the one with the same id. */
  readonly draft: Measurement | undefined;
  readonly selectedId: number | undefined;
  /** Those that the user has chosen together, the selected one among them. */
  readonly chosenIds: ReadonlySet<number>;
  /** The arrow that was just drawn, whose text the page asks for. */
  readonly askedId: number | undefined;
  /** The selected ROI, as a rectangle that is measured like the others. */
  readonly roi: Measurement | undefined;
  readonly nextId: number;
};

export const NO_MEASUREMENTS: MeasureState = {
  items: [],
  draft: undefined,
  selectedId: undefined,
  chosenIds: new Set(),
  askedId: undefined,
  roi: undefined,
  nextId: 1,
};

export const measurementsOf = definePart((page) => {
  const store = createStore<MeasureState>(() => NO_MEASUREMENTS);
  page.onRestart(() => {
    stepsOf(page).forget(({ part }) => part === 'measurements');
    store.setState(NO_MEASUREMENTS);
  });
  return store;
});

export function useMeasurements<T>(select: (state: MeasureState) => T): T {
  return useStore(measurementsOf(usePage()), select);
}

function findMeasurement(page: Page, id: number | undefined): Measurement | undefined {
  return measurementsOf(page)
    .getState()
    .items.find((item) => item.id === id);
}

export function findSelectedMeasurement(page: Page): Measurement | undefined {
  return findMeasurement(page, measurementsOf(page).getState().selectedId);
}

export function createMeasurement(page: Page, item: Omit<Measurement, 'id'>): Measurement {
  const { nextId } = measurementsOf(page).getState();
  measurementsOf(page).setState({ nextId: nextId + 1 });
  const words = { ...NO_WORDS, class: labelsOf(page).getState().nextClass };
  return { words, uid: createMarkUid(), ...item, id: nextId };
}

export function setDraft(page: Page, draft: Measurement | undefined): void {
  measurementsOf(page).setState({ draft });
}

export function setMeasuredRoi(page: Page, roi: Measurement | undefined): void {
  measurementsOf(page).setState({ roi });
}

export function selectMeasurement(page: Page, selectedId: number | undefined): void {
  chooseMeasurements(page, selectedId === undefined ? [] : [selectedId], selectedId);
}

/** Chooses several at once; one of them is selected. */
export function chooseMeasurements(page: Page, ids: Iterable<number>, selectedId: number | undefined): void {
  measurementsOf(page).setState({ selectedId, chosenIds: new Set(ids) });
}

export function listChosen({ items, chosenIds }: Pick<MeasureState, 'items' | 'chosenIds'>): readonly Measurement[] {
  return items.filter(({ id }) => chosenIds.has(id));
}

export function askForText(page: Page, askedId: number | undefined): void {
  measurementsOf(page).setState({ askedId });
}

/** Adds the measurement or replaces the one with the same id, and selects it. */
export function keepMeasurement(page: Page, item: Measurement): void {
  recordChanges(page, [{ before: findMeasurement(page, item.id), after: withSeenForm(withDrawnSlice(item)) }], item);
  measurementsOf(page).setState({ draft: undefined });
  selectMeasurement(page, item.id);
}

/** In one step of undo. Locked ones stay. */
export function deleteMeasurements(page: Page, ids: ReadonlySet<number>): void {
  const items = listChosen({ ...measurementsOf(page).getState(), chosenIds: ids });
  const free = items.filter(({ words }) => words?.locked !== true);
  sayLocked(page, items.length - free.length);
  recordChanges(
    page,
    free.map((before) => ({ before, after: undefined })),
  );
}

/** Changes what is said of marks, in one step of undo. Locked ones stay as they are, unless they are unlocked. */
export function changeMarkWords(page: Page, items: readonly Measurement[], change: Partial<MarkWords>): void {
  const isUnlocking = change.locked === false;
  const free = items.filter(({ words }) => isUnlocking || words?.locked !== true);
  if (change.locked === undefined) sayLocked(page, items.length - free.length);
  recordChanges(
    page,
    free.map((before) => ({ before, after: { ...before, words: { ...NO_WORDS, ...before.words, ...change } } })),
  );
}

function sayLocked(page: Page, count: number): void {
  if (count === 0) return;
  const text = count === 1 ? 'A locked mark stays as it is' : `${count} locked marks stay as they are`;
  say(page, text, 'failed');
}

/** A UID that is made from random bits (PS3.5 B.2). `crypto.randomUUID` is missing over plain HTTP. */
export function createMarkUid(): string {
  const [high = 0n, low = 0n] = crypto.getRandomValues(new BigUint64Array(2));
  return `2.25.${(high << 64n) | low}`;
}

/** What was determined of measurements later. */
export type LearnedFacts = ReadonlyMap<Measurement, Partial<Pick<Measurement, 'scale' | 'values'>>>;

/** Adds facts of many at once, so that those who follow see one change; this is not an undoable step. */
export function noteFacts(page: Page, learned: LearnedFacts): void {
  const byId = new Map(Array.from(learned, ([item, facts]) => [item.id, { item, facts }]));
  const learn = (one: Measurement) => {
    const known = byId.get(one.id);
    return known !== undefined && isSameForm(one, known.item) ? { ...one, ...known.facts } : one;
  };
  measurementsOf(page).setState(({ items, draft, roi }) => ({
    items: items.map(learn),
    draft: draft && learn(draft),
    roi: roi && learn(roi),
  }));
}

/** Everything that has numbers, the measurement being dragged first. */
export function listMeasured({ items, draft, roi }: MeasureState): readonly Measurement[] {
  return [draft, roi, ...items].filter((item) => item !== undefined);
}

export function isSameForm(a: Measurement, b: Measurement): boolean {
  return a.id === b.id && a.points === b.points;
}

type Change = { readonly before: Measurement | undefined; readonly after: Measurement | undefined };

/** One step of undo, which is shown where it was made. */
function recordChanges(page: Page, changes: readonly Change[], shownAt?: Measurement): void {
  const [first] = changes.flatMap(({ before, after }) => after ?? before ?? []);
  const place = shownAt ?? first;
  if (place === undefined) return;
  const { fileIndex, frame, isWhole } = place;
  stepsOf(page).record({
    part: 'measurements',
    fileIndex,
    frame,
    isOn: (shown) => shown === frame,
    isWhole,
    isElsewhere: isStored(place) ? undefined : true,
    undo: () => put(page, changes, 'before'),
    redo: () => put(page, changes, 'after'),
  });
  put(page, changes, 'after');
}

/** All at once, so that those who follow see one change. */
function put(page: Page, changes: readonly Change[], side: keyof Change): void {
  const ids = new Set(changes.map(({ before, after }) => (before ?? after)?.id));
  const changed = changes.flatMap((change) => change[side] ?? []);
  const present = new Set(changed.map(({ id }) => id));
  const isGone = (id: number | undefined) => id !== undefined && ids.has(id) && !present.has(id);
  measurementsOf(page).setState(({ items, selectedId, chosenIds }) => {
    const others = items.filter(({ id }) => !ids.has(id));
    const next = [...others, ...changed].toSorted((a, b) => a.id - b.id);
    return {
      items: next,
      selectedId: isGone(selectedId) ? undefined : selectedId,
      chosenIds: new Set([...chosenIds].filter((id) => !isGone(id))),
    };
  });
}
