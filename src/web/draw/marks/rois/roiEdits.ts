import { haveSameItems } from '../../../kit/state/haveSameItems.ts';
import type { Page } from '../../../kit/state/page.ts';
import { type Step, stepsOf } from '../../../kit/state/stepHistory.ts';
import { coversFrame, type Roi, roisOfFile } from './roi.ts';

export type StepPlace = Pick<Step, 'fileIndex' | 'frame'>;

export interface RoiEdits {
  /**
   * One edit by the user: shown at once, sent to the server and added to the history. If the ROIs of the file are not
   * loaded yet, this happens when they are.
   */
  readonly edit: (fileIndex: number, change: RoiChange, frame?: number) => void;
  /** One edit that changes several files, such as a box on a slide whose tiles are in several files. */
  readonly editTogether: (changes: ReadonlyMap<number, readonly Roi[]>, place: StepPlace) => void;
}

export type RoiChange = (rois: readonly Roi[]) => readonly Roi[];

type WaitingEdit = { readonly change: RoiChange; readonly frame: number | undefined };

/** Edits of files whose ROIs are not loaded yet, in their order. */
export interface WaitingEdits {
  /** The ROIs of the file are loaded now. */
  make(fileIndex: number): void;
  isEmpty(): boolean;
  /** What they make of no ROIs, for each file. */
  list(): readonly (readonly [fileIndex: number, rois: readonly Roi[]])[];
  forget(): void;
}

export function isRoiStep({ part }: Step): boolean {
  return part === 'rois';
}

/**
 * What becomes of the ROIs of a file when the step from one list to another is made, made again or undone: what was added,
 * changed or taken away since, such as a ROI that has become a box, stays so.
 */
export function rebaseRois(now: readonly Roi[], from: readonly Roi[], to: readonly Roi[]): readonly Roi[] {
  if (haveSameItems(now, from)) return to;
  const [before, after] = [byUid(from), byUid(to)];
  const next = recognize(now, from).flatMap((roi) => (before.get(roi.uid) === roi ? (after.get(roi.uid) ?? []) : roi));
  const present = byUid(next);
  for (const [at, roi] of to.entries()) {
    if (!present.has(roi.uid) && !before.has(roi.uid)) next.splice(at, 0, roi);
  }
  return next;
}

/** ROIs that the server has sent again have other uids. */
function recognize(now: readonly Roi[], from: readonly Roi[]): readonly Roi[] {
  const [known, present] = [byUid(from), byUid(now)];
  const missing = new Map<string, Roi[]>();
  for (const roi of from) {
    if (!present.has(roi.uid)) missing.set(textOf(roi), [...(missing.get(textOf(roi)) ?? []), roi]);
  }
  return now.map((roi) => (known.has(roi.uid) ? roi : (missing.get(textOf(roi))?.shift() ?? roi)));
}

function byUid(rois: readonly Roi[]): ReadonlyMap<string, Roi> {
  return new Map(rois.map((roi) => [roi.uid, roi]));
}

function textOf({ box, frames }: Roi): string {
  return JSON.stringify([box, frames]);
}

type EditedFiles = {
  readonly isLoaded: (fileIndex: number) => boolean;
  /** Shows these ROIs and saves them. */
  readonly show: (fileIndex: number, rois: readonly Roi[]) => void;
};

/** Edits of the user, which can be undone. */
export function createRoiEdits(page: Page, files: EditedFiles): RoiEdits & { readonly waiting: WaitingEdits } {
  const waiting = new Map<number, readonly WaitingEdit[]>();

  const edit: RoiEdits['edit'] = (fileIndex, change, frame) => {
    if (!files.isLoaded(fileIndex)) {
      waiting.set(fileIndex, [...(waiting.get(fileIndex) ?? []), { change, frame }]);
      return;
    }
    const before = roisOfFile(page, fileIndex);
    const after = change(before);
    if (after === before) return;
    const changed = [...before.filter((roi) => !after.includes(roi)), ...after.filter((roi) => !before.includes(roi))];
    stepsOf(page).record({
      part: 'rois',
      fileIndex,
      frame,
      isOn: (shown) => changed.some((roi) => coversFrame(roi, shown)),
      undo: () => files.show(fileIndex, rebaseRois(roisOfFile(page, fileIndex), after, before)),
      redo: () => files.show(fileIndex, rebaseRois(roisOfFile(page, fileIndex), before, after)),
    });
    files.show(fileIndex, after);
  };

  const editTogether: RoiEdits['editTogether'] = (changes, { fileIndex, frame }) => {
    const changed = Array.from(changes, ([index, after]) => ({ index, before: roisOfFile(page, index), after }));
    if (!changed.every(({ index }) => files.isLoaded(index))) return;
    const showAll = (from: 'before' | 'after', to: 'before' | 'after') => {
      for (const file of changed) {
        files.show(file.index, rebaseRois(roisOfFile(page, file.index), file[from], file[to]));
      }
    };
    stepsOf(page).record({
      part: 'rois',
      fileIndex,
      frame,
      fileIndices: changed.map(({ index }) => index),
      isOn: () => false,
      undo: () => showAll('after', 'before'),
      redo: () => showAll('before', 'after'),
    });
    showAll('before', 'after');
  };

  return {
    edit,
    editTogether,
    waiting: {
      make(fileIndex) {
        const edits = waiting.get(fileIndex) ?? [];
        waiting.delete(fileIndex);
        for (const { change, frame } of edits) edit(fileIndex, change, frame);
      },
      isEmpty: () => waiting.size === 0,
      list: () =>
        Array.from(waiting, ([fileIndex, edits]) => [
          fileIndex,
          edits.reduce<readonly Roi[]>((rois, { change }) => change(rois), []),
        ]),
      forget: () => waiting.clear(),
    },
  };
}
