import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { pageSteps } from '../state/stepHistory.ts';
import type { Measurement } from './measurement.ts';

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

export const measureStore = createStore<MeasureState>(() => NO_MEASUREMENTS);

export function useMeasurements<T>(select: (state: MeasureState) => T): T {
  return useStore(measureStore, select);
}

function findMeasurement(id: number | undefined): Measurement | undefined {
  return measureStore.getState().items.find((item) => item.id === id);
}

export function findSelectedMeasurement(): Measurement | undefined {
  return findMeasurement(measureStore.getState().selectedId);
}

export function createMeasurement(item: Omit<Measurement, 'id'>): Measurement {
  const { nextId } = measureStore.getState();
  measureStore.setState({ nextId: nextId + 1 });
  return { ...item, id: nextId };
}

export function setDraft(draft: Measurement | undefined): void {
  measureStore.setState({ draft });
}

export function setMeasuredRoi(roi: Measurement | undefined): void {
  measureStore.setState({ roi });
}

export function selectMeasurement(selectedId: number | undefined): void {
  measureStore.setState({ selectedId });
}

/** Adds the measurement or replaces the one with the same id, and selects it. */
export function keepMeasurement(item: Measurement): void {
  recordChange(findMeasurement(item.id), item);
  measureStore.setState({ draft: undefined, selectedId: item.id });
}

export function deleteMeasurement(item: Measurement): void {
  recordChange(item, undefined);
}

/** Adds facts that were determined later; this is not an undoable step. */
export function noteFacts(item: Measurement, facts: Partial<Pick<Measurement, 'scale' | 'values'>>): void {
  const learn = (one: Measurement) => (isSameForm(one, item) ? { ...one, ...facts } : one);
  measureStore.setState(({ items, draft, roi }) => ({
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

function recordChange(before: Measurement | undefined, after: Measurement | undefined): void {
  const item = after ?? before;
  if (item === undefined) return;
  const { id, fileIndex, frame, isSlide } = item;
  pageSteps.record({
    part: 'measurements',
    fileIndex,
    frame,
    isOn: (shown) => shown === frame,
    isSlide,
    undo: () => put(id, before),
    redo: () => put(id, after),
  });
  put(id, after);
}

function put(id: number, item: Measurement | undefined): void {
  measureStore.setState(({ items, selectedId }) => {
    const others = items.filter((one) => one.id !== id);
    return {
      items: item === undefined ? others : [...others, item].toSorted((a, b) => a.id - b.id),
      selectedId: item === undefined && selectedId === id ? undefined : selectedId,
    };
  });
}
