import type { MarkBody, MarkMask, MarkSlice, WireMark } from '../../shared/contract/marks.ts';
import { changeMark, createMark, deleteMark, fetchMark } from '../api/marks.ts';
import { RequestRefused } from '../api/send.ts';
import { marksOf } from '../measure/marks.ts';
import { libraryOf } from '../state/library.ts';
import { say } from '../state/messages.ts';
import { definePart, type Page } from '../state/page.ts';
import { wait } from '../state/wait.ts';
import { type BrushChange, brushesOf, findBrushMark, parseFrameKey, positionsOf, stackOfMark } from './brushes.ts';

const RETRY_MS = 2_000;
/** Numbers in one request, which the server limits to 2 MiB: a run has at most 10 digits and a comma. */
const MOST_RUNS = 150_000;

/** Sends changed masks to the server, one request after another, until it has them all. */
export const savingOf = definePart((page) => {
  let isSaving = false;
  /** Changes that the server has refused. They are sent again when they change. */
  const refused = new WeakSet<BrushChange>();

  const findJob = (): [string, BrushChange] | undefined =>
    [...brushesOf(page).getState().changes].find(([, change]) => !refused.has(change));

  const save = async () => {
    if (isSaving) return;
    isSaving = true;
    try {
      for (let job = findJob(); job !== undefined; job = findJob()) await saveOne(page, job, refused);
    } finally {
      isSaving = false;
    }
  };

  brushesOf(page).subscribe(({ changes }, before) => {
    if (changes !== before.changes) void save();
  });
  libraryOf(page).subscribe(({ connection }, before) => {
    if (connection === 'live' && before.connection !== 'live') void save();
  });
  return { save };
});

async function saveOne(page: Page, job: [string, BrushChange], refused: WeakSet<BrushChange>): Promise<void> {
  const [uid, change] = job;
  const signal = page.untilRestart(new AbortController().signal);
  const mark = marksOf(page).getState().others.get(uid);
  try {
    const sent = takePart(change);
    noteSaved(page, uid, sent, await sendPart(page, { uid, mark, sent, signal }));
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof RequestRefused)) {
      marksOf(page).setState({ failure: error instanceof Error ? error.message : String(error) });
      await wait(RETRY_MS, signal);
    } else if (error.code === 'mark_not_found') {
      // Another client has deleted it. What was painted here since is a mask again.
      setOther(page, uid, undefined);
    } else if (error.code === 'stale_mark' && mark !== undefined) {
      // Another client has changed it. Frames that both have painted get the mask of this page, which is the later one.
      setOther(page, uid, await fetchMark(mark.id, signal));
    } else {
      refused.add(change);
      say(page, `A mask was not saved: ${error.message}`, 'failed');
    }
  }
}

/** As much of a change as one request can have. */
function takePart({ slices, words, slide }: BrushChange): BrushChange {
  const taken = new Map<string, MarkMask | null>();
  let runs = 0;
  for (const [key, mask] of slices) {
    runs += mask?.runs.length ?? 0;
    if (taken.size > 0 && runs > MOST_RUNS) break;
    taken.set(key, mask);
  }
  return { slices: taken, words, slide };
}

type Sending = {
  readonly uid: string;
  readonly mark: WireMark | undefined;
  readonly sent: BrushChange;
  readonly signal: AbortSignal;
};

/** Returns the mark as the server has it now; undefined if it has been deleted or was never made. */
async function sendPart(page: Page, { uid, mark, sent, signal }: Sending): Promise<WireMark | undefined> {
  const whole = findBrushMark(page, uid);
  if (whole === undefined) {
    if (mark !== undefined) await deleteMark(mark.id, mark.etag, signal);
    return undefined;
  }
  const painted = [...sent.slices].map(([key, mask]) => toSlice(key, mask));
  if (mark !== undefined) {
    const slices = painted.length === 0 ? {} : { place: placeOf(page, uid, [...whole.slices.keys()]), slices: painted };
    return changeMark(mark.id, { ...slices, ...sent.words }, mark.etag, signal);
  }
  // Undone and redone before it was saved, or removed on some frames: what is left is sent.
  const keys = [...sent.slices].flatMap(([key, mask]) => (mask === null ? [] : [key]));
  const slices = painted.filter(({ mask }) => mask !== undefined);
  return createMark({ uid, kind: 'brush', place: placeOf(page, uid, keys), points: [], slices, ...sent.words }, signal);
}

function toSlice(key: string, mask: MarkMask | null): MarkSlice {
  const { fileIndex, frame } = parseFrameKey(key);
  return { file_index: fileIndex, frame_index: frame, points: [], ...(mask !== null && { mask }) };
}

/** From the first to the last painted frame in the shown order of the stack, or the slide. */
function placeOf(page: Page, uid: string, keys: readonly string[]): MarkBody['place'] {
  const mark = findBrushMark(page, uid);
  if (mark?.slide !== undefined) {
    const { fileIndex, step } = mark.slide;
    return { type: 'slide', file_index: fileIndex, focal_plane_um: null, mask_step: step };
  }
  const stack = mark && stackOfMark(page, mark);
  const sorted = stack === undefined ? keys : positionsOf(stack, keys).map(([, key]) => key);
  const [from, to] = [sorted[0] ?? '0 0', sorted.at(-1) ?? '0 0'].map(parseFrameKey).map(toWire);
  return { type: 'stack', from: from!, to: to! };
}

function toWire({ fileIndex, frame }: { readonly fileIndex: number; readonly frame: number }) {
  return { file_index: fileIndex, frame_index: frame };
}

/** What was painted while the request ran stays to be sent. */
function noteSaved(page: Page, uid: string, sent: BrushChange, mark: WireMark | undefined): void {
  setOther(page, uid, mark);
  if (marksOf(page).getState().failure !== undefined) marksOf(page).setState({ failure: undefined });
  brushesOf(page).setState(({ changes }) => {
    const now = changes.get(uid);
    const next = new Map(changes);
    const slices = new Map([...(now?.slices ?? [])].filter(([key, mask]) => sent.slices.get(key) !== mask));
    const words = Object.fromEntries(
      Object.entries(now?.words ?? {}).filter(([name, word]) => !isSent(sent.words, name, word)),
    );
    if (slices.size === 0 && Object.keys(words).length === 0) next.delete(uid);
    else next.set(uid, { slices, words, slide: sent.slide });
    return { changes: next };
  });
}

function isSent(words: BrushChange['words'], name: string, word: unknown): boolean {
  return Object.entries(words).some(([sentName, sent]) => sentName === name && sent === word);
}

function setOther(page: Page, uid: string, mark: WireMark | undefined): void {
  marksOf(page).setState(({ others }) => {
    const next = new Map(others);
    if (mark === undefined) next.delete(uid);
    else if (mark.revision >= (others.get(uid)?.revision ?? 0)) next.set(uid, mark);
    return { others: next };
  });
}
