import type { MarksPatch, WireMark } from '../../../../shared/contract/marks.ts';
import { ConnectionLost, RequestRefused } from '../../../kit/api/send.ts';
import { libraryOf } from '../../../kit/state/library.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import { createSync } from './createSync.ts';
import type { Sync, SyncedKind, SyncWish, Together } from './syncedKind.ts';
import {
  areEqualForms,
  changedSlices,
  cutMask,
  differenceOf,
  findWordChange,
  hasSlicesChanged,
  mergeForms,
} from './compareForms.ts';
import { formOf, isKept, type MarkForm } from './markForm.ts';
import { goneMarksOf } from './goneMarks.ts';
import { markRequestsOf } from './markRequests.ts';
import { createMarkUid, marksOf, putMarks } from './marks.ts';
import { placeOfMask } from '../masks/placeOfMask.ts';

/** A mark as the server has it. */
export type SyncedMark = {
  readonly id: number;
  readonly etag: string;
  readonly revision: number;
  readonly form: MarkForm;
};

/** As many as the server takes in one request. */
const MOST_AT_ONCE = 10_000;

/** The marks of the server in this run, by uid. */
export const storedMarksOf = definePart(() => new Map<string, SyncedMark>());

/** Keeps shapes and masks equal on this page and on the server. Their keys are their uids. */
export const markSyncOf = definePart((page): Sync<MarkForm, SyncedMark> => {
  const sync = createSync(createMarkKind(page, (...keys) => sync.touch(...keys)));
  return sync;
});

/** Undefined for one that the page does not draw. */
export function toStored(mark: WireMark): SyncedMark | undefined {
  const form = formOf(mark);
  return form && { id: mark.id, etag: mark.etag, revision: mark.revision, form };
}

/** Undefined for one that is gone since the server sent it. */
function toCurrent(page: Page, mark: WireMark): SyncedMark | undefined {
  return goneMarksOf(page).has(mark) ? undefined : toStored(mark);
}

/** All marks of this page that the server keeps, by uid. */
export function listUids(page: Page): readonly string[] {
  return [...marksOf(page).getState().marks].flatMap(([uid, mark]) => (isKept(mark) ? uid : []));
}

/** A mark as it is on this page, if the server keeps it. */
export function findForm(page: Page, uid: string): MarkForm | undefined {
  const mark = marksOf(page).getState().marks.get(uid);
  return isKept(mark) ? mark : undefined;
}

function createMarkKind(page: Page, touch: (...keys: readonly string[]) => void): SyncedKind<MarkForm, SyncedMark> {
  const stored = storedMarksOf(page);
  const requests = markRequestsOf(page);
  return {
    find: (uid) => ({ mine: findForm(page, uid), stored: stored.get(uid) }),
    contentOf: (mark) => mark?.form,
    isEqual: areEqualForms,
    prepare: (_, form, known) => (form.kind === 'brush' ? cutMask(known?.form, form) : form),
    merge: mergeForms,
    /** What this page made of the mark becomes a mark of its own. */
    whenContradicting(uid, mine) {
      const copy = createMarkUid();
      marksOf(page).setState(({ copies, painted }) => ({
        copies: copies + 1,
        painted: painted === uid ? copy : painted,
      }));
      putMarks(page, new Map([[copy, { ...mine, locked: false }]]));
      touch(copy);
    },
    note(uid, mark) {
      const known = stored.get(uid);
      if (mark === undefined) stored.delete(uid);
      // An answer may be older than what this page was told of its own change.
      else if (known === undefined || mark.revision >= known.revision) stored.set(uid, mark);
    },
    show: (changed) => putMarks(page, changed),
    async send(uid, wish) {
      // The files may have other numbers when the server is back.
      if (libraryOf(page).getState().connection !== 'live') throw new ConnectionLost('the server does not respond');
      const mark = await sendMark(page, uid, wish);
      const found = mark && toCurrent(page, mark);
      // The same object, so that the next comparison is quick.
      const { mine } = wish;
      return found !== undefined && mine !== undefined && areEqualForms(found.form, mine)
        ? { ...found, form: mine }
        : found;
    },
    async read(uid, known, signal) {
      if (known === undefined) {
        const mark = (await requests.list(undefined, signal)).marks.find((one) => one.uid === uid);
        return mark && toCurrent(page, mark);
      }
      return requests
        .read(known.id, signal)
        .then((mark) => toCurrent(page, mark))
        .catch((error: unknown) => {
          if (error instanceof RequestRefused && error.code === 'mark_not_found') return undefined;
          throw error;
        });
    },
    together: (uid, pending) => findTogether(page, uid, pending),
    wait: requests.wait,
  };
}

async function sendMark(
  page: Page,
  uid: string,
  { mine, stored, signal }: SyncWish<MarkForm, SyncedMark>,
): Promise<WireMark | undefined> {
  const requests = markRequestsOf(page);
  if (mine === undefined) {
    if (stored !== undefined) await requests.remove(stored.id, stored.etag, signal);
    return undefined;
  }
  const place = mine.kind === 'brush' ? placeOfMask(page, mine) : mine.place;
  if (stored === undefined) return requests.create({ uid, ...mine, place }, signal);
  const { id, etag, form } = stored;
  const change = differenceOf(form, mine);
  if (mine.kind === 'brush') {
    const { slices: _, place: __, ...words } = change;
    const slices = [...changedSlices(form, mine)];
    return requests.change(id, { ...words, ...(slices.length > 0 && { place, slices }) }, etag, signal);
  }
  return hasSlicesChanged(form, mine)
    ? requests.replace(id, mine, etag, signal)
    : requests.change(id, change, etag, signal);
}

/** The same change or deletion of other marks, if one request can make them: the user has made them at once. */
function findTogether(page: Page, uid: string, pending: Iterable<string>): Together<MarkForm, SyncedMark> | undefined {
  const stored = storedMarksOf(page);
  const changeOf = (one: string): Change | undefined => {
    const known = stored.get(one);
    if (known === undefined) return undefined;
    const form = findForm(page, one);
    const change = form === undefined ? DELETED : findWordChange(known.form, form);
    return change && { uid: one, known, form, change };
  };
  const wanted = changeOf(uid);
  if (wanted === undefined) return undefined;
  const text = JSON.stringify(wanted.change);
  const all: Change[] = [];
  for (const one of pending) {
    const found = changeOf(one);
    if (found !== undefined && JSON.stringify(found.change) === text) all.push(found);
    if (all.length === MOST_AT_ONCE) break;
  }
  if (all.length < 2) return undefined;
  const marks = all.map(({ known: { id, etag } }) => ({ id, etag }));
  return {
    contents: new Map(all.map((one) => [one.uid, one.form])),
    async send(signal) {
      if (libraryOf(page).getState().connection !== 'live') throw new ConnectionLost('the server does not respond');
      if (wanted.change === DELETED) {
        await markRequestsOf(page).removeMany({ marks }, signal);
        return new Map();
      }
      const answer = await markRequestsOf(page).changeMany({ marks, change: wanted.change }, signal);
      const changed = new Map(answer.marks.map((mark) => [mark.id, mark]));
      return new Map(
        all.flatMap(({ uid: one, known, form }) => {
          const mark = changed.get(known.id);
          const isThere = mark !== undefined && !goneMarksOf(page).has(mark);
          return isThere && form !== undefined ? [[one, { ...mark, form }] as const] : [];
        }),
      );
    },
  };
}

type Change = {
  readonly uid: string;
  readonly known: SyncedMark;
  readonly form: MarkForm | undefined;
  readonly change: MarksPatch['change'];
};

const DELETED: MarksPatch['change'] = {};
