import type { MarkMask, WireMark } from '../../../shared/contract/marks.ts';
import { changeMark, createMark, deleteMark, fetchMark, fetchMarks } from '../../api/marks.ts';
import { RequestRefused } from '../../api/send.ts';
import { marksOf } from '../sync/marks.ts';
import type { MarkWords } from '../shapes/measurement.ts';
import { createMarkUid } from '../shapes/measurements.ts';
import { holdTab } from '../sync/holdTab.ts';
import { libraryOf } from '../../state/library.ts';
import { definePart, type Page } from '../../state/page.ts';
import { wait } from '../../state/wait.ts';
import {
  type BrushChange,
  type BrushMark,
  brushesOf,
  findBrushMark,
  type PaintedMask,
  placeOfMask,
  toSlice,
  wordsOf,
} from './brushes.ts';
import { isSameMask } from './mergeMasks.ts';

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
  holdTab(() => brushesOf(page).getState().changes.size > 0);
  return { save };
});

async function saveOne(page: Page, [uid, found]: [string, BrushChange], refused: WeakSet<BrushChange>): Promise<void> {
  const signal = page.untilRestart(new AbortController().signal);
  const mark = marksOf(page).getState().others.get(uid);
  if (mark !== undefined && areWordsMet(found, mark)) {
    keepCopy(page, uid, found);
    return;
  }
  const whole = findBrushMark(page, uid);
  const part = takePart(found, whole);
  const change = noteSent(page, uid, found, part);
  try {
    noteSaved(page, uid, part, await sendPart(page, { uid, mark, whole, part, signal }));
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof RequestRefused)) {
      marksOf(page).setState({ failure: error instanceof Error ? error.message : String(error) });
      await wait(RETRY_MS, signal);
    } else if (error.code === 'mark_not_found') {
      // Another client has deleted it. What was painted here since is a mask again.
      setOther(page, uid, undefined);
    } else if (error.code === 'stale_mark' && mark !== undefined) {
      // Another client has painted on it, or an answer was lost. The strokes of this page are added to what is there.
      setOther(page, uid, await fetchMark(mark.id, signal));
    } else if (error.code === 'mark_exists') {
      // The answer to the request that made it was lost.
      setOther(
        page,
        uid,
        (await fetchMarks(undefined, signal)).marks.find((one) => one.uid === uid),
      );
    } else {
      refused.add(change);
      setRefusal(page, uid, error.message);
    }
  }
}

/** What one request sends: of each frame the mask with what others have painted, and what was painted here. */
type Part = {
  readonly slices: ReadonlyMap<string, { readonly mask: MarkMask | null; readonly painted: PaintedMask }>;
  readonly words: Partial<MarkWords>;
};

/** As much of a change as one request can have. */
function takePart({ slices, words }: BrushChange, whole: BrushMark | undefined): Part {
  const taken = new Map<string, { mask: MarkMask | null; painted: PaintedMask }>();
  let runs = 0;
  for (const [key, painted] of slices) {
    const mask = whole?.slices.get(key) ?? null;
    runs += mask?.runs.length ?? 0;
    if (taken.size > 0 && runs > MOST_RUNS) break;
    taken.set(key, { mask, painted });
  }
  return { slices: taken, words };
}

/** If the answer is lost, the server may have these masks. Returns the change with that note. */
function noteSent(page: Page, uid: string, change: BrushChange, part: Part): BrushChange {
  const slices = new Map(change.slices);
  for (const [key, { mask, painted }] of part.slices) {
    const { sent = [] } = painted;
    if (!sent.some((one) => isSameMask(one, mask))) slices.set(key, { ...painted, sent: [...sent, mask] });
  }
  const noted = { ...change, slices };
  brushesOf(page).setState(({ changes }) => ({ changes: new Map(changes).set(uid, noted) }));
  return noted;
}

type Sending = {
  readonly uid: string;
  readonly mark: WireMark | undefined;
  readonly whole: BrushMark | undefined;
  readonly part: Part;
  readonly signal: AbortSignal;
};

/** Returns the mark as the server has it now; undefined if it has been deleted or was never made. */
async function sendPart(page: Page, { uid, mark, whole, part, signal }: Sending): Promise<WireMark | undefined> {
  if (whole === undefined) {
    if (mark !== undefined) await deleteMark(mark.id, mark.etag, signal);
    return undefined;
  }
  const painted = Array.from(part.slices, ([key, { mask }]) => toSlice(key, mask));
  if (mark !== undefined) {
    const slices = painted.length === 0 ? {} : { place: placeOfMask(page, whole), slices: painted };
    return changeMark(mark.id, { ...slices, ...part.words }, mark.etag, signal);
  }
  // Undone and redone before it was saved, or removed on some frames: what is left is sent.
  const left = painted.filter(({ mask }) => mask !== undefined);
  const sent = new Map([...whole.slices].filter(([key]) => part.slices.has(key)));
  const place = placeOfMask(page, { ...whole, slices: sent });
  return createMark({ uid, kind: 'brush', place, points: [], slices: left, ...whole.words }, signal);
}

/** What was painted while the request ran stays to be sent. */
function noteSaved(
  page: Page,
  uid: string,
  { slices: sent, words: sentWords }: Part,
  mark: WireMark | undefined,
): void {
  setOther(page, uid, mark);
  setRefusal(page, uid, undefined);
  if (marksOf(page).getState().failure !== undefined) marksOf(page).setState({ failure: undefined });
  brushesOf(page).setState(({ changes }) => {
    const now = changes.get(uid);
    const next = new Map(changes);
    next.delete(uid);
    if (now === undefined) return { changes: next };
    const slices = new Map<string, PaintedMask>();
    for (const [key, painted] of now.slices) {
      const done = sent.get(key);
      if (done === undefined) slices.set(key, painted);
      else if (done.painted.mask !== painted.mask) slices.set(key, { mask: painted.mask, from: done.mask });
    }
    const words = Object.fromEntries(
      Object.entries(now.words).filter(([name, word]) => !isSent(sentWords, name, word)),
    );
    const wordsBefore = mark === undefined ? now.wordsBefore : wordsOf(mark);
    if (slices.size > 0 || Object.keys(words).length > 0) next.set(uid, { ...now, slices, words, wordsBefore });
    return { changes: next };
  });
}

function isSent(words: BrushChange['words'], name: string, word: unknown): boolean {
  return Object.entries(words).some(([sentName, sent]) => sentName === name && sent === word);
}

/** Whether another client has changed words that were changed here, to others. */
function areWordsMet({ words, wordsBefore }: BrushChange, mark: WireMark): boolean {
  const [before, now] = [new Map<string, unknown>(Object.entries(wordsBefore)), wordsOf(mark)];
  const theirs = new Map<string, unknown>(Object.entries(now));
  return Object.entries(words).some(([name, word]) => {
    return theirs.get(name) !== before.get(name) && theirs.get(name) !== word;
  });
}

/** Nothing of either client is lost: what this page made of the mask becomes a mask of its own. */
function keepCopy(page: Page, uid: string, change: BrushChange): void {
  const mine = findBrushMark(page, uid);
  brushesOf(page).setState(({ changes, chosenUid }) => {
    const next = new Map(changes);
    next.delete(uid);
    if (mine === undefined) return { changes: next };
    const copy = createMarkUid();
    const slices = new Map(Array.from(mine.slices, ([key, mask]) => [key, { mask, from: null }]));
    next.set(copy, { ...change, slices, words: mine.words, wordsBefore: mine.words });
    return { changes: next, chosenUid: chosenUid === uid ? copy : chosenUid };
  });
  marksOf(page).setState(({ copies }) => ({ copies: copies + 1 }));
}

function setRefusal(page: Page, uid: string, reason: string | undefined): void {
  if (reason === undefined && !marksOf(page).getState().refused.has(uid)) return;
  marksOf(page).setState(({ refused }) => {
    const next = new Map(refused);
    if (reason === undefined) next.delete(uid);
    else next.set(uid, reason);
    return { refused: next };
  });
}

function setOther(page: Page, uid: string, mark: WireMark | undefined): void {
  marksOf(page).setState(({ others }) => {
    const next = new Map(others);
    if (mark === undefined) next.delete(uid);
    else if (mark.revision >= (others.get(uid)?.revision ?? 0)) next.set(uid, mark);
    return { others: next };
  });
}
