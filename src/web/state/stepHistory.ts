import { createStore, type StoreApi } from 'zustand/vanilla';

/** One step of the user that can be taken back. */
export type Step = {
  /** Whose it is: steps of one part can become void together. */
  readonly part: 'rois' | 'measurements';
  readonly fileIndex: number;
  /** All files that it changed, where they are several. */
  readonly fileIndices?: readonly number[];
  /** Where it was made: whoever takes it back wants to see it. */
  readonly frame: number | undefined;
  /** Whether something that it changed is on this frame of its file. */
  readonly isOn: (frame: number) => boolean;
  /** It is on a slide as a whole: `frame` says nothing. */
  readonly isSlide?: true | undefined;
  readonly undo: () => void;
  readonly redo: () => void;
};

export type StepsState = { readonly done: readonly Step[]; readonly undone: readonly Step[] };

/** The steps of all parts and files in the order in which they were made. */
export interface StepHistory {
  readonly store: StoreApi<StepsState>;
  record(step: Step): void;
  /** Answers the step that was taken back, so that it can be shown; undefined when there is none. */
  undo(): Step | undefined;
  redo(): Step | undefined;
  /** After something was replaced from elsewhere: its steps no longer lead from one state to the next. */
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
export const pageSteps = createStepHistory();
