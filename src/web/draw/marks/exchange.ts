import type { StoreApi } from 'zustand/vanilla';
import { say } from '../../kit/state/messages.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { type Step, stepsOf } from '../../kit/state/stepHistory.ts';
import { type Roi, putRois, roisOfFile } from './rois/roi.ts';
import { roiBackendOf } from './rois/roiBackend.ts';
import { rebaseRois } from './rois/roiEdits.ts';
import { roisOf } from './rois/roiFiles.ts';
import { areEqualForms } from './sync/compareForms.ts';
import { claimUnsaved } from './sync/guardTab.ts';
import type { MarkForm } from './sync/markForm.ts';
import { findForm, markSyncOf } from './sync/markKind.ts';
import { markRequestsOf } from './sync/markRequests.ts';
import { marksOf, putMarks } from './sync/marks.ts';

/** Of an exchange, what is there before it or after it. */
interface Side {
  readonly uids: readonly string[];
  readonly put: () => void;
  /** What was changed since stays. */
  readonly remove: () => void;
  /** Whether all of it is on the page; the user or another client may have taken it away. */
  readonly isThere: () => boolean;
  /** Whether the server has it. */
  readonly isSaved: () => boolean;
  /** Whether what the server has is on its disk, as far as it keeps anything there. */
  readonly isKept: (signal: AbortSignal) => Promise<boolean>;
}

const NOT_KEPT_MS = 2_000;

/** Exchanges of which one side is not saved yet, while the other one waits to be removed. */
const waitingOf = definePart((page) => {
  const waiting = new Map<AbortController, ReadonlySet<string>>();
  page.onRestartFirst(() => {
    if (waiting.size > 0)
      say(page, 'The server was restarted. ROIs and the boxes made of them are both there', 'failed');
    for (const one of waiting.keys()) one.abort();
    waiting.clear();
  });
  claimUnsaved(page, () => waiting.size > 0);
  return waiting;
});

/** Whether the mark is being exchanged, which only undo can turn around. */
export function isInExchange(page: Page, uid: string): boolean {
  return [...waitingOf(page).values()].some((uids) => uids.has(uid));
}

/**
 * Puts one side in place of the other, as one step of undo. Both are saved by requests of their own, so that the old one is
 * removed only when the server has kept the new one, also when the step is undone or made again: whatever ends in between,
 * one of both is there.
 */
export function exchange(
  page: Page,
  sides: { readonly old: Side; readonly made: Side },
  place: Pick<Step, 'fileIndex' | 'frame' | 'isOn'>,
): void {
  let last: AbortController | undefined;
  const turn = (from: Side, to: Side) => {
    last?.abort();
    last = new AbortController();
    to.put();
    void replace(page, from, to, last);
  };
  stepsOf(page).record({
    part: 'marks',
    ...place,
    undo: () => turn(sides.made, sides.old),
    redo: () => turn(sides.old, sides.made),
  });
  turn(sides.old, sides.made);
}

async function replace(page: Page, from: Side, to: Side, ending: AbortController): Promise<void> {
  const { signal } = ending;
  const waiting = waitingOf(page);
  waiting.set(ending, new Set([...from.uids, ...to.uids]));
  signal.addEventListener('abort', () => waiting.delete(ending));
  while (!signal.aborted) {
    await waitUntil(page, () => to.isSaved() || !to.isThere(), signal);
    if (signal.aborted || !to.isThere()) break;
    const isKept = await to.isKept(signal).catch(() => false);
    if (signal.aborted) break;
    if (isKept && to.isThere() && to.isSaved()) {
      // First, so that those who follow the marks see both.
      waiting.delete(ending);
      from.remove();
      return;
    }
    if (!isKept) await markRequestsOf(page).wait(NOT_KEPT_MS, signal);
  }
  waiting.delete(ending);
}

/** Asked whenever marks or what is saved of them changes. */
function waitUntil(page: Page, isDone: () => boolean, signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    const check = () => {
      if (!signal.aborted && !isDone()) return;
      for (const stop of stops) stop();
      signal.removeEventListener('abort', check);
      settle();
    };
    const stores: readonly Pick<StoreApi<unknown>, 'subscribe'>[] = [
      marksOf(page),
      markSyncOf(page).store,
      roisOf(page).store,
      roisOf(page).sync.store,
    ];
    const stops = stores.map((store) => store.subscribe(check));
    signal.addEventListener('abort', check);
    check();
  });
}

/** Some of the ROIs of each file. `all` has the others, too, for the order. */
export function sideOfRois(
  page: Page,
  files: ReadonlyMap<number, { readonly all: readonly Roi[]; readonly these: readonly Roi[] }>,
): Side {
  const { sync } = roisOf(page);
  const show = (fileIndex: number, from: readonly Roi[], to: readonly Roi[]) => {
    putRois(page, fileIndex, rebaseRois(roisOfFile(page, fileIndex), from, to));
    sync.touch(String(fileIndex));
  };
  return {
    uids: [...files.values()].flatMap(({ these }) => these.map(({ uid }) => uid)),
    put() {
      for (const [fileIndex, { all, these }] of files) show(fileIndex, without(all, these), all);
    },
    remove() {
      for (const [fileIndex, { all, these }] of files) show(fileIndex, all, without(all, these));
    },
    isThere: () => {
      const { marks } = marksOf(page).getState();
      return [...files.values()].every(({ these }) => these.every(({ uid }) => marks.has(uid)));
    },
    isSaved: () => [...files.keys()].every((fileIndex) => sync.stateOf(String(fileIndex)) === 'saved'),
    isKept: async (signal) => (await roiBackendOf(page).readJournal(signal)).state !== 'failing',
  };
}

function without(all: readonly Roi[], these: readonly Roi[]): readonly Roi[] {
  const left = new Set(these);
  return all.filter((roi) => !left.has(roi));
}

/** Marks by their uids. */
export function sideOfMarks(page: Page, forms: ReadonlyMap<string, MarkForm>): Side {
  const uids = [...forms.keys()];
  const sync = markSyncOf(page);
  return {
    uids,
    put: () => putMarks(page, new Map([...forms].filter(([uid]) => findForm(page, uid) === undefined))),
    remove() {
      const unchanged = [...forms].filter(([uid, form]) => {
        const now = findForm(page, uid);
        return now !== undefined && areEqualForms(now, form);
      });
      putMarks(page, new Map(unchanged.map(([uid]) => [uid, undefined])));
    },
    isThere: () => uids.every((uid) => findForm(page, uid) !== undefined),
    isSaved: () => uids.every((uid) => sync.stateOf(uid) === 'saved'),
    isKept: async (signal) => (await markRequestsOf(page).readJournal(signal)).state !== 'failing',
  };
}
