import { createStore, type StoreApi } from 'zustand/vanilla';
import { definePart } from './page.ts';

/** One user action that can be undone. */
export type Step = {
  /** The part that it belongs to. Steps of one part can become void together. */
  readonly part: 'rois' | 'marks' | 'presentations';
  readonly fileIndex: number;
  /** All files that it changed, if there are several. */
  readonly fileIndices?: readonly number[];
  /** Where it was made, so that undoing the step can show it. */
  readonly frame: number | undefined;
  /** Whether something that it changed is on this frame of its file. */
  readonly isOn: (frame: number) => boolean;
  /** The step is on a picture of several frames as a whole, so `frame` has no meaning. */
  readonly isWhole?: true | undefined;
  /** The step is on a picture that is no stored frame, so it cannot be shown by `frame`. */
  readonly isElsewhere?: true | undefined;
  readonly undo: () => void;
  readonly redo: () => void;
};

export type StepsState = { readonly done: readonly Step[]; readonly undone: readonly Step[] };

/** The steps of all parts and files in the order in which they were made. */
export interface StepHistory {
  readonly store: StoreApi<StepsState>;
  record(step: Step): void;
  /** Makes one step of all that are recorded meanwhile. */
  join(make: () => void): void;
  /** Returns the step that was undone, so that it can be shown; undefined if there is none. */
  undo(): Step | undefined;
  redo(): Step | undefined;
  /** Removes steps that no longer lead from one state to the next, because something else replaced the data. */
  forget(isVoid: (step: Step) => boolean): void;
}

const MOST_STEPS = 1_000;

export function createStepHistory(): StepHistory {
  const store = createStore<StepsState>(() => ({ done: [], undone: [] }));
  return {
    store,
    record(step) {
      store.setState(({ done }) => ({ done: [...done, step].slice(-MOST_STEPS), undone: [] }));
    },
    join(make) {
      const before = new Set(store.getState().done);
      make();
      const made = store.getState().done.filter((step) => !before.has(step));
      const last = made.at(-1);
      if (last === undefined || made.length === 1) return;
      const joined: Step = {
        ...last,
        fileIndices: [...new Set(made.flatMap(({ fileIndex, fileIndices = [fileIndex] }) => fileIndices))],
        isOn: (frame) => made.some(({ isOn }) => isOn(frame)),
        undo() {
          for (const step of made.toReversed()) step.undo();
        },
        redo() {
          for (const step of made) step.redo();
        },
      };
      store.setState(({ done }) => ({ done: [...done.filter((step) => !made.includes(step)), joined] }));
    },
    undo() {
      const { done, undone } = store.getState();
      const step = done.at(-1);
      if (step === undefined) return undefined;
      store.setState({ done: done.slice(0, -1), undone: [...undone, step] });
      step.undo();
      return step;
    },
    redo() {
      const { done, undone } = store.getState();
      const step = undone.at(-1);
      if (step === undefined) return undefined;
      store.setState({ done: [...done, step], undone: undone.slice(0, -1) });
      step.redo();
      return step;
    },
    forget(isVoid) {
      const isKept = (step: Step) => !isVoid(step);
      store.setState(({ done, undone }) => ({ done: done.filter(isKept), undone: undone.filter(isKept) }));
    },
  };
}

/** The steps of this page. */
export const stepsOf = definePart(createStepHistory);
