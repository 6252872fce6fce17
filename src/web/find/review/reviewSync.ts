import type { ReviewUnitResponse, WireReviewUnit } from '../../../shared/contract/review.ts';
import { createSync } from '../../draw/marks/sync/createSync.ts';
import type { Sync, SyncedKind, SyncWish, Together } from '../../draw/marks/sync/syncedKind.ts';
import { fetchReviewUnit, writeVerdict } from '../../kit/api/review.ts';
import { ConnectionLost, RequestRefused } from '../../kit/api/send.ts';
import { libraryOf } from '../../kit/state/library.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { wait } from '../../kit/state/wait.ts';
import { reviewNotesOf, reviewOf, verdictIn } from './review.ts';
import { areEqualVerdicts, listMissing, toVerdict, type GivenVerdict } from './verdict.ts';

/** Decisions that are on their way at the same time: the server writes those that wait together. */
const MOST_TOGETHER = 8;

/** Keeps decisions equal on this page and in the file of the server: each is repeated until it is acknowledged. */
export const reviewSyncOf = definePart((page): Sync<GivenVerdict, WireReviewUnit> => createSync(createKind(page)));

function createKind(page: Page): SyncedKind<GivenVerdict, WireReviewUnit> {
  const store = reviewOf(page);
  const kind: SyncedKind<GivenVerdict, WireReviewUnit> = {
    find(key) {
      const state = store.getState();
      const stored = state.units.get(key);
      return stored && { mine: verdictIn(state, key), stored };
    },
    contentOf: (stored) => stored && toVerdict(stored.decision),
    isEqual: areEqualVerdicts,
    prepare(_, verdict) {
      const { head } = store.getState();
      const missing = head === undefined ? [] : listMissing(head.scheme, verdict);
      if (missing.length > 0) throw new Error(`${missing.join(' and ')} is missing`);
      return verdict;
    },
    // Of two verdicts, a third one would be nobody's.
    merge: () => undefined,
    whenContradicting: 'ask',
    note(key, stored) {
      if (stored === undefined) return;
      store.setState(({ units, mine }) => {
        const own = mine.get(key);
        const isWritten = own !== undefined && areEqualVerdicts(own, toVerdict(stored.decision));
        return { units: new Map(units).set(key, stored), ...(isWritten && { mine: without(mine, key) }) };
      });
    },
    show(changed) {
      store.setState(({ units, mine }) => {
        const next = new Map(mine);
        for (const [key, verdict] of changed) {
          const unit = units.get(key);
          const isWritten = unit !== undefined && (verdict === undefined || isAsIn(unit, verdict));
          if (isWritten || verdict === undefined) next.delete(key);
          else next.set(key, verdict);
        }
        return { mine: next };
      });
    },
    send: (key, wish) => sendVerdict(page, key, wish),
    async read(_, known, signal) {
      if (known === undefined) return undefined;
      return (await fetchReviewUnit(known.unit, signal)).unit;
    },
    together: (_, pending) => findTogether(page, kind, pending),
    wait,
  };
  return kind;
}

function isAsIn({ decision }: WireReviewUnit, verdict: GivenVerdict): boolean {
  return areEqualVerdicts(verdict, toVerdict(decision));
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  const next = new Map(map);
  next.delete(key);
  return next;
}

async function sendVerdict(
  page: Page,
  key: string,
  { mine, stored, signal }: SyncWish<GivenVerdict, WireReviewUnit>,
): Promise<WireReviewUnit | undefined> {
  if (mine === undefined || stored === undefined) return stored;
  if (libraryOf(page).getState().connection !== 'live') throw new ConnectionLost('the server does not respond');
  const { verdict, reasons, scores, comment } = mine;
  const notes = reviewNotesOf(page);
  const shown_ms = notes.shownMs.get(key) ?? null;
  const body = { verdict, reasons: [...reasons], scores: { ...scores }, comment, shown_ms };
  try {
    const { unit, ...progress } = await writeVerdict(stored.unit, body, stored.etag, signal);
    if (!signal.aborted) noteProgress(page, progress);
    notes.answers += 1;
    notes.answeredAt.set(key, notes.answers);
    return unit;
  } catch (error) {
    // Whoever writes the file will let go of it.
    if (error instanceof RequestRefused && error.code === 'review_locked')
      throw new Error(error.message, { cause: error });
    throw error;
  }
}

function noteProgress(page: Page, progress: Omit<ReviewUnitResponse, 'unit'>): void {
  reviewOf(page).setState(({ head }) => ({
    head: head && { ...head, ...progress, state: 'on', problem: null },
  }));
}

/** Of what waits, the first few, each with a request of its own. */
function findTogether(
  page: Page,
  kind: SyncedKind<GivenVerdict, WireReviewUnit>,
  pending: Iterable<string>,
): Together<GivenVerdict, WireReviewUnit> | undefined {
  const scheme = reviewOf(page).getState().head?.scheme;
  const wishes = new Map<string, { readonly mine: GivenVerdict; readonly stored: WireReviewUnit }>();
  for (const key of pending) {
    const { mine, stored } = kind.find(key) ?? {};
    if (scheme === undefined || mine === undefined || stored === undefined) continue;
    if (!isAsIn(stored, mine) && listMissing(scheme, mine).length === 0) wishes.set(key, { mine, stored });
    if (wishes.size === MOST_TOGETHER) break;
  }
  if (wishes.size < 2) return undefined;
  return {
    contents: new Map([...wishes].map(([key, { mine }]) => [key, mine])),
    async send(signal) {
      const found = new Map<string, WireReviewUnit | undefined>();
      const sending = [...wishes].map(async ([key, wish]) => {
        const unit = await sendVerdict(page, key, { ...wish, signal });
        found.set(key, unit);
        // What others of them meet does not take it back.
        if (!signal.aborted) kind.note(key, unit);
      });
      const outcomes = await Promise.allSettled(sending);
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return found;
    },
  };
}
