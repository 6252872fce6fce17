import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from '../state/page.ts';
import { say } from '../state/messages.ts';
import { stepsOf } from '../state/stepHistory.ts';
import { labelsOf } from './labels.ts';
import { type Measurement, NO_WORDS } from './measurement.ts';

export type MeasureState = {
  /** In order of creation. */
  readonly items: readonly Measurement[];
  /** The measurement being dragged: a new one, or a changed form of the one with the same id. */
  readonly draft: Measurement | undefined;
  readonly selectedId: number | undefined;
  /** The selected ROI, as a rectangle that is measured like the others. */
  readonly roi: Measurement | undefined;
  readonly nextId: number;
};

export const NO_MEASUREMENTS: MeasureState = {
  items: [],
  draft: undefined,
  selectedId: undefined,
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
  return { words, uid: createUid(), ...item, id: nextId };
}

export function setDraft(page: Page, draft: Measurement | undefined): void {
  measurementsOf(page).setState({ draft });
}

export function setMeasuredRoi(page: Page, roi: Measurement | undefined): void {
  measurementsOf(page).setState({ roi });
}

export function selectMeasurement(page: Page, selectedId: number | undefined): void {
  measurementsOf(page).setState({ selectedId });
}

/** Adds the measurement or replaces the one with the same id, and selects it. */
export function keepMeasurement(page: Page, item: Measurement): void {
  recordChange(page, findMeasurement(page, item.id), item);
  measurementsOf(page).setState({ draft: undefined, selectedId: item.id });
}

/** A locked one stays. */
export function deleteMeasurement(page: Page, item: Measurement): void {
  if (item.words?.locked === true) {
    say(page, 'This mark is locked', 'failed');
    return;
  }
  recordChange(page, item, undefined);
}

/** A UID that is made from random bits (PS3.5 B.2). `crypto.randomUUID` is missing over plain HTTP. */
export function createUid(): string {
  const [high = 0n, low = 0n] = crypto.getRandomValues(new BigUint64Array(2));
  return `2.25.${(high << 64n) | low}`;
}

/** Adds facts that were determined later; this is not an undoable step. */
export function noteFacts(page: Page, item: Measurement, facts: Partial<Pick<Measurement, 'scale' | 'values'>>): void {
  const learn = (one: Measurement) => (isSameForm(one, item) ? { ...one, ...facts } : one);
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

function recordChange(page: Page, before: Measurement | undefined, after: Measurement | undefined): void {
  const item = after ?? before;
  if (item === undefined) return;
  const { id, fileIndex, frame, isWhole, cut } = item;
  stepsOf(page).record({
    part: 'measurements',
    fileIndex,
    frame,
    isOn: (shown) => shown === frame,
    isWhole,
    isElsewhere: cut === undefined ? undefined : true,
    undo: () => put(page, id, before),
    redo: () => put(page, id, after),
  });
  put(page, id, after);
}

function put(page: Page, id: number, item: Measurement | undefined): void {
  measurementsOf(page).setState(({ items, selectedId }) => {
    const others = items.filter((one) => one.id !== id);
    return {
      items: item === undefined ? others : [...others, item].toSorted((a, b) => a.id - b.id),
      selectedId: item === undefined && selectedId === id ? undefined : selectedId,
    };
  });
}
