import type { LabelClass, MarksPatch, WireMark } from '../../../shared/contract/marks.ts';
import {
  changeMark,
  changeMarks,
  createMark,
  deleteMark,
  deleteMarks,
  fetchLabels,
  fetchMark,
  fetchMarkJournal,
  fetchMarks,
  type MarkChanges,
  replaceMark,
} from '../../api/marks.ts';
import { ConnectionLost, RequestRefused } from '../../api/send.ts';
import { holdTab } from './holdTab.ts';
import { libraryOf } from '../../state/library.ts';
import { markNewsOf } from '../../state/markNews.ts';
import type { Page } from '../../state/page.ts';
import { areAllFilesKnown, filesOfRunOf, findParked } from './parking.ts';
import { wait } from '../../state/wait.ts';
import { labelsOf } from '../shapes/labels.ts';
import {
  differenceOf,
  findWordChange,
  formOf,
  fromGeometry,
  hasSlicesChanged,
  type MarkForm,
  toForm,
  toMaskForm,
  toMeasurement,
} from './markForm.ts';
import { markIdsOf, marksOf } from './marks.ts';
import type { Measurement } from '../shapes/measurement.ts';
import { createMeasurement, measurementsOf } from '../shapes/measurements.ts';
import {
  areEqualForms,
  hasParkedMarks,
  meetServer,
  type Meeting,
  type PageMark,
  type ParkedMark,
  parkedMarksOf,
  parkMarks,
  renumberMark,
} from './parkedMarks.ts';

/** A mark as the server has it. */
type Synced = { readonly id: number; readonly etag: string; readonly revision: number; readonly form: MarkForm };

/** Marks in which the same words have changed to the same. */
type Together = {
  readonly marks: readonly { readonly uid: string; readonly known: Synced; readonly form: MarkForm }[];
  readonly change: MarksPatch['change'];
};

const RETRY_MS = 2_000;
/** As many as the server takes in one request. */
const MOST_AT_ONCE = 10_000;

/**
 * Keeps the measurements of this page and the marks of the server equal. A change is sent at once and repeated until the
 * server has it; a change of another client is shown here. Returns a function that stops it.
 */
export function syncMarks(page: Page): () => void {
  const ended = new AbortController();
  // Follows the list of files from now on.
  filesOfRunOf(page);
  /** Of this run of the server. */
  let run = new AbortController();
  /** By uid. */
  const synced = new Map<string, Synced>();
  let revision: number | undefined;
  let isPushing = false;
  let isPulling = false;
  let isAskedAgain = false;

  const signal = () => AbortSignal.any([ended.signal, run.signal]);

  /** Classes of the earlier run. */
  let classesBefore: readonly LabelClass[] = [];

  /** What this page has of the run that has ended, saved or not: it is compared with what the next run has. */
  const park = () => {
    const { items } = measurementsOf(page).getState();
    const present = new Set(items.map(({ uid }) => uid));
    const drawn = items.flatMap((item): PageMark[] => {
      const { uid } = item;
      const base = uid === undefined ? undefined : synced.get(uid)?.form;
      const mine = base !== undefined && !isChanged(uid ?? '', item) ? base : toForm(item);
      return uid === undefined || mine === undefined ? [] : [{ uid, mine, base }];
    });
    const deleted = [...synced].flatMap(([uid, { form }]) =>
      present.has(uid) ? [] : [{ uid, mine: undefined, base: form }],
    );
    const masks = Array.from(marksOf(page).getState().others.values(), (mark) => {
      const form = toMaskForm(mark);
      return { uid: mark.uid, mine: form, base: form };
    });
    parkMarks(page, [...drawn, ...deleted, ...masks]);
    classesBefore = labelsOf(page).getState().stored?.scheme.classes ?? classesBefore;
  };

  const forget = () => {
    revision = undefined;
    park();
    run.abort();
    run = new AbortController();
    synced.clear();
    unconfirmed.clear();
    alone.clear();
  };

  const pull = async (): Promise<void> => {
    isAskedAgain = true;
    if (isPulling || libraryOf(page).getState().connection !== 'live') return;
    isPulling = true;
    const own = signal();
    try {
      // Before the marks: once the user has decided on those that an earlier run kept, the list has them.
      const { kept, searched } = await fetchMarkJournal(own);
      while (isAskedAgain && !own.aborted) {
        isAskedAgain = false;
        const [changes, stored] = await Promise.all([fetchMarks(revision, own), fetchLabels(own)]);
        if (own.aborted) return;
        labelsOf(page).setState({ stored });
        accept(changes);
        revision = changes.revision;
      }
      const journal = await fetchMarkJournal(own);
      if (own.aborted) return;
      marksOf(page).setState({ journal });
      if (searched && kept === null) unpark();
      const isWaiting = searched && parkedMarksOf(page).getState().waiting.length > 0;
      if (!journal.searched || (isWaiting && areAllFilesKnown(libraryOf(page).getState())))
        void wait(1_000, own).then(() => (own.aborted ? undefined : pull()));
    } catch {
      // The connection was lost, or the server was restarted: there is news when it is back.
    } finally {
      isPulling = false;
    }
    if (own.aborted && !ended.signal.aborted) void pull();
    else void push();
  };

  /** Compares the marks of an earlier run with those of this one. */
  const unpark = (): void => {
    if (!areAllFilesKnown(libraryOf(page).getState())) return;
    const { waiting, missing } = parkedMarksOf(page).getState();
    const { others } = marksOf(page).getState();
    const { found, lost } = findParked(waiting, ({ files }) => files, libraryOf(page).getState().files);
    const asked: ParkedMark[] = [];
    const masks: PageMark[] = [];
    for (const { work, files } of found) {
      const mark = renumberMark(work, (place) => files[place]?.index ?? 0);
      const { uid } = mark;
      if ((mark.mine ?? mark.base)?.kind === 'brush') {
        if (mark.mine !== mark.base) masks.push(mark);
        else if (!others.has(uid)) asked.push(work);
        continue;
      }
      const theirs = synced.get(uid)?.form;
      if (follow(uid, meetServer(mark, theirs), theirs) === 'ask') asked.push(work);
    }
    const isPresent = ({ uid }: ParkedMark) => synced.has(uid) || others.has(uid);
    const known = labelsOf(page).getState().stored?.scheme.classes ?? [];
    const isKnown = ({ key }: LabelClass) => known.some((one) => one.key === key);
    const missingClasses = classesBefore.filter((one) => !isKnown(one));
    classesBefore = [];
    parkedMarksOf(page).setState((state) => ({
      waiting: state.waiting.filter((mark) => !waiting.includes(mark)),
      missing: [...missing.filter((mark) => !isPresent(mark)), ...asked],
      missingClasses: [...state.missingClasses.filter((one) => !isKnown(one)), ...missingClasses],
      lost: [...state.lost, ...lost.filter(({ mine }) => mine !== undefined)],
      masks: [...state.masks, ...masks],
    }));
  };

  /** Does what the meeting of this page and the server has led to. */
  const follow = (uid: string, meeting: Meeting, theirs: MarkForm | undefined): Meeting['do'] => {
    if (meeting.do === 'delete') drop(uid);
    else if (meeting.do === 'change') apply(uid, meeting.form);
    else if (meeting.do === 'make' || meeting.do === 'copy') {
      const item = toMeasurement({ uid, ...meeting.form }, 0);
      if (item !== undefined && meeting.do === 'make') add(item);
      else if (item !== undefined && theirs !== undefined) keepCopy(item, meeting.form, theirs);
    }
    return meeting.do;
  };

  const add = (item: Measurement): void => {
    const made = createMeasurement(page, item);
    measurementsOf(page).setState(({ items }) => ({ items: [...items, made] }));
  };

  /** A mark that has changed here too is left alone: sending it meets the change of the other client. */
  const accept = ({ marks, deleted, whole }: MarkChanges): void => {
    const others = new Map(whole ? [] : marksOf(page).getState().others);
    const present = new Set(marks.map(({ uid }) => uid));
    for (const mark of marks) {
      const form = formOf(mark);
      // An answer may be older than what this page was told of its own change.
      const knownRevision = synced.get(mark.uid)?.revision ?? others.get(mark.uid)?.revision ?? 0;
      if (mark.revision < knownRevision) continue;
      if (form === undefined) others.set(mark.uid, mark);
      else if (!isChanged(mark.uid)) show(mark, form);
    }
    for (const [uid, { id }] of others) if (deleted.includes(id)) others.delete(uid);
    for (const [uid, { id }] of synced) {
      const isGone = deleted.includes(id) || (whole && !present.has(uid));
      if (!isGone || isChanged(uid)) continue;
      synced.delete(uid);
      drop(uid);
    }
    marksOf(page).setState({ others });
  };

  const findItem = (uid: string): Measurement | undefined =>
    measurementsOf(page)
      .getState()
      .items.find((item) => item.uid === uid);

  /** Measurements that were compared with these forms and are equal to them. */
  const equal = new WeakMap<Measurement, MarkForm>();

  const isChanged = (uid: string, item = findItem(uid)): boolean => {
    const known = synced.get(uid);
    if (item !== undefined && known !== undefined && equal.get(item) === known.form) return false;
    const form = item && toForm(item);
    if (known === undefined) return form !== undefined;
    if (item === undefined || form === undefined || Object.keys(differenceOf(known.form, form)).length > 0) return true;
    equal.set(item, known.form);
    return false;
  };

  const note = (mark: WireMark, form: MarkForm): void => {
    synced.set(mark.uid, { id: mark.id, etag: mark.etag, revision: mark.revision, form });
    markIdsOf(page).set(mark.uid, { id: mark.id, etag: mark.etag });
  };

  const show = (mark: WireMark, form: MarkForm): void => {
    note(mark, form);
    const known = findItem(mark.uid);
    measurementsOf(page).setState(({ items, nextId }) => {
      const item = toMeasurement(mark, known?.id ?? nextId);
      if (item === undefined) return {};
      const own = known && toForm(known);
      const isMoved =
        own === undefined || ['place', 'points', 'slices'].some((field) => field in differenceOf(own, form));
      // What was determined for the same points stays.
      const shown = known === undefined || isMoved ? item : { ...known, words: item.words };
      if (known === undefined) return { items: [...items, shown], nextId: nextId + 1 };
      return { items: items.map((one) => (one === known ? shown : one)) };
    });
  };

  const drop = (uid: string): void => {
    measurementsOf(page).setState(({ items, selectedId }) => {
      const gone = items.find((item) => item.uid === uid);
      if (gone === undefined) return {};
      return {
        items: items.filter((item) => item !== gone),
        selectedId: selectedId === gone.id ? undefined : selectedId,
      };
    });
  };

  const findJob = (): string | undefined => {
    const { refused } = marksOf(page).getState();
    const { items } = measurementsOf(page).getState();
    const present = new Set(items.map(({ uid }) => uid));
    const deleted = [...synced.keys()].find((uid) => !present.has(uid));
    if (deleted !== undefined) return deleted;
    for (const item of items) {
      const { uid } = item;
      if (uid === undefined || item.cut !== undefined || !isChanged(uid, item)) continue;
      if (refused.get(uid) === undefined || refusedForms.get(uid) !== JSON.stringify(toForm(item))) return uid;
    }
    return undefined;
  };
  /** What the server has refused is not sent again until it changes. */
  const refusedForms = new Map<string, string>();

  const push = async (): Promise<void> => {
    if (isPushing || revision === undefined) return;
    isPushing = true;
    const own = signal();
    try {
      for (let uid = findJob(); uid !== undefined && !own.aborted; uid = findJob()) {
        try {
          await sendNext(uid, own);
          if (marksOf(page).getState().failure !== undefined) marksOf(page).setState({ failure: undefined });
        } catch (error) {
          if (own.aborted) return;
          if (error instanceof RequestRefused) await meetRefusal(uid, error, own);
          else {
            const reason = error instanceof ConnectionLost ? error.message : String(error);
            marksOf(page).setState({ failure: reason });
            await wait(RETRY_MS, own);
          }
        }
      }
    } finally {
      isPushing = false;
    }
  };

  /** The change or deletion of this mark, with all others that the user has made at the same time. */
  const sendNext = (uid: string, own: AbortSignal): Promise<void> => {
    const deleted = findDeletedTogether(uid);
    if (deleted !== undefined) return deleteTogether(deleted, own);
    const together = findTogether(uid);
    return together === undefined ? sendOne(uid, own) : sendTogether(together, own);
  };

  /** Marks of a refused request, which are sent one by one to learn which of them is the reason. */
  const alone = new Set<string>();

  /** This change and all others that are the same, if one request can make them: the user has made them at once. */
  const findTogether = (uid: string): Together | undefined => {
    const changed = measurementsOf(page)
      .getState()
      .items.flatMap((item) => {
        const known = item.uid === undefined || alone.has(item.uid) ? undefined : synced.get(item.uid);
        if (item.uid === undefined || known === undefined || !isChanged(item.uid, item)) return [];
        const form = toForm(item);
        const change = form && findWordChange(known.form, form);
        return form === undefined || change === undefined ? [] : [{ uid: item.uid, known, form, change }];
      });
    const wanted = changed.find((one) => one.uid === uid);
    if (wanted === undefined) return undefined;
    const text = JSON.stringify(wanted.change);
    const marks = changed.filter(({ change }) => JSON.stringify(change) === text).slice(0, MOST_AT_ONCE);
    return marks.length < 2 ? undefined : { marks, change: wanted.change };
  };

  const sendTogether = async ({ marks, change }: Together, own: AbortSignal): Promise<void> => {
    try {
      const wanted = marks.map(({ known: { id, etag } }) => ({ id, etag }));
      const answer = await changeMarks({ marks: wanted, change }, own);
      const changed = new Map(answer.marks.map((mark) => [mark.id, mark]));
      for (const { uid, known, form } of marks) {
        const mark = changed.get(known.id);
        if (mark === undefined) continue;
        synced.set(uid, { ...mark, form });
        markIdsOf(page).set(uid, mark);
      }
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
      for (const { uid } of marks) alone.add(uid);
    }
  };

  /** This deletion and all others: the user has made them at once. Undefined if one request cannot make them. */
  const findDeletedTogether = (uid: string): readonly (readonly [uid: string, known: Synced])[] | undefined => {
    const present = new Set(
      measurementsOf(page)
        .getState()
        .items.map((item) => item.uid),
    );
    const deleted = [...synced].filter(([one]) => !present.has(one) && !alone.has(one)).slice(0, MOST_AT_ONCE);
    return deleted.length < 2 || deleted.every(([one]) => one !== uid) ? undefined : deleted;
  };

  const deleteTogether = async (
    deleted: readonly (readonly [uid: string, known: Synced])[],
    own: AbortSignal,
  ): Promise<void> => {
    try {
      await deleteMarks({ marks: deleted.map(([, { id, etag }]) => ({ id, etag })) }, own);
      for (const [uid] of deleted) synced.delete(uid);
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
      for (const [uid] of deleted) alone.add(uid);
    }
  };

  /** Forms that were sent without an answer: the server may have them. */
  const unconfirmed = new Map<string, MarkForm>();

  const sendOne = async (uid: string, own: AbortSignal): Promise<void> => {
    const item = findItem(uid);
    const known = synced.get(uid);
    const form = item && toForm(item);
    if (form === undefined) {
      if (known !== undefined) await deleteMark(known.id, known.etag, own);
      alone.delete(uid);
      synced.delete(uid);
      return;
    }
    const before = unconfirmed.get(uid);
    unconfirmed.set(uid, form);
    const mark = await (
      known === undefined
        ? createMark({ uid, ...form }, own)
        : hasSlicesChanged(known.form, form)
          ? replaceMark(known.id, form, known.etag, own)
          : changeMark(known.id, differenceOf(known.form, form), known.etag, own)
    ).catch((error: unknown) => {
      // Of a refused request the server has nothing, but it may have what was sent before.
      if (error instanceof RequestRefused && before === undefined) unconfirmed.delete(uid);
      else if (error instanceof RequestRefused && before !== undefined) unconfirmed.set(uid, before);
      throw error;
    });
    unconfirmed.delete(uid);
    note(mark, formOf(mark) ?? form);
    alone.delete(uid);
    clearRefusal(uid);
  };

  const meetRefusal = async (uid: string, { code, message }: RequestRefused, own: AbortSignal): Promise<void> => {
    const known = synced.get(uid);
    const item = findItem(uid);
    const mine = item && toForm(item);
    if (code === 'mark_not_found') {
      // Another client has deleted it. If it was changed here, it is made again.
      synced.delete(uid);
      return;
    }
    const isMet = code === 'mark_exists' || code === 'stale_mark' || code === 'mark_locked';
    const current = isMet ? await fetchCurrent(uid, own) : undefined;
    const theirs = current && formOf(current);
    if (current !== undefined && theirs !== undefined) {
      const sent = unconfirmed.get(uid);
      unconfirmed.delete(uid);
      // An answer that was lost: the server has what this page has sent.
      const base = sent !== undefined && areEqualForms(sent, theirs) ? theirs : (known?.form ?? sent);
      show(current, theirs);
      if (item === undefined || mine === undefined) return;
      if (code === 'mark_locked') keepCopy(item, mine, theirs);
      else follow(uid, meetServer({ mine, base }, theirs), theirs);
      return;
    }
    refusedForms.set(uid, JSON.stringify(mine));
    marksOf(page).setState(({ refused }) => ({ refused: new Map(refused).set(uid, message) }));
    // A mark that could not be deleted is shown again.
    if (mine === undefined && known !== undefined) {
      const present = await fetchMark(known.id, own);
      const form = formOf(present);
      if (form !== undefined) show(present, form);
    }
  };

  const fetchCurrent = async (uid: string, own: AbortSignal): Promise<WireMark | undefined> => {
    const known = synced.get(uid);
    if (known !== undefined) return fetchMark(known.id, own);
    return (await fetchMarks(undefined, own)).marks.find((mark) => mark.uid === uid);
  };

  const apply = (uid: string, form: MarkForm): void => {
    const { label, class: key, text, comment, author, locked } = form;
    measurementsOf(page).setState(({ items }) => ({
      items: items.map((item) =>
        item.uid === uid
          ? {
              ...item,
              through: undefined,
              onPlane: undefined,
              box: undefined,
              ...fromGeometry(form),
              words: { label, class: key, text, comment, author, locked },
              values: undefined,
            }
          : item,
      ),
    }));
  };

  /** Nothing of either client is lost: what this page made of the mark becomes a mark of its own. */
  const keepCopy = (item: Measurement, mine: MarkForm, theirs: MarkForm): void => {
    if (Object.keys(differenceOf(theirs, mine)).length === 0) return;
    const { uid: _, ...rest } = item;
    const copy = createMeasurement(page, { ...rest, ...(item.words && { words: { ...item.words, locked: false } }) });
    measurementsOf(page).setState(({ items }) => ({ items: [...items, copy] }));
    marksOf(page).setState(({ copies }) => ({ copies: copies + 1 }));
  };

  const clearRefusal = (uid: string): void => {
    if (!refusedForms.delete(uid)) return;
    marksOf(page).setState(({ refused }) => {
      const rest = new Map(refused);
      rest.delete(uid);
      return { refused: rest };
    });
  };

  const stops = [
    // Before the measurements are reset: that must not look like a deletion of all marks.
    page.onRestartFirst(forget),
    page.onRestart(() => void pull()),
    libraryOf(page).subscribe((now, before) => {
      const isListed = areAllFilesKnown(now) && !areAllFilesKnown(before) && hasParkedMarks(page);
      if (isListed || (now.connection === 'live' && before.connection !== 'live')) void pull();
    }),
    parkedMarksOf(page).subscribe(({ waiting }, before) => {
      // The user has chosen to keep marks.
      if (waiting.length > before.waiting.length && revision !== undefined) void pull();
    }),
    holdTab(() => marksOf(page).getState().refused.size > 0 || hasParkedMarks(page) || findJob() !== undefined),
    markNewsOf(page).subscribe(() => void pull()),
    measurementsOf(page).subscribe(({ items }, before) => {
      if (items !== before.items) void push();
    }),
  ];
  void pull();
  return () => {
    ended.abort();
    for (const stop of stops) stop();
  };
}
