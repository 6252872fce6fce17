import type { Roi } from './roi.ts';

/** One step that can be taken back. */
export type RoiEdit = {
  readonly fileIndex: number;
  /** Where it was made: whoever takes it back wants to see it. */
  readonly frame: number | undefined;
  readonly before: readonly Roi[];
  readonly after: readonly Roi[];
};

/** The edits of all files in the order in which they were made. */
export type RoiHistory = { readonly done: readonly RoiEdit[]; readonly undone: readonly RoiEdit[] };

export const NO_HISTORY: RoiHistory = { done: [], undone: [] };

const MOST_STEPS = 1_000;

export function recordEdit({ done }: RoiHistory, edit: RoiEdit): RoiHistory {
  return { done: [...done, edit].slice(-MOST_STEPS), undone: [] };
}

/** The edit to take back, and the history without it; undefined when there is none. */
export function takeUndo({ done, undone }: RoiHistory): { edit: RoiEdit; history: RoiHistory } | undefined {
  const edit = done.at(-1);
  return edit && { edit, history: { done: done.slice(0, -1), undone: [...undone, edit] } };
}

export function takeRedo({ done, undone }: RoiHistory): { edit: RoiEdit; history: RoiHistory } | undefined {
  const edit = undone.at(-1);
  return edit && { edit, history: { done: [...done, edit], undone: undone.slice(0, -1) } };
}

/** After a file's ROIs were replaced from elsewhere: its steps no longer lead from one state to the next. */
export function forgetFile({ done, undone }: RoiHistory, fileIndex: number): RoiHistory {
  const isOther = (edit: RoiEdit) => edit.fileIndex !== fileIndex;
  return { done: done.filter(isOther), undone: undone.filter(isOther) };
}
