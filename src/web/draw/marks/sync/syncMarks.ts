import type { LabelClass, WireMark } from '../../../../shared/contract/marks.ts';
import type { MarkChanges } from '../../../kit/api/marks.ts';
import { libraryOf } from '../../../kit/state/library.ts';
import { markNewsOf } from '../../../kit/state/markNews.ts';
import type { Page } from '../../../kit/state/page.ts';
import { labelsOf } from '../shapes/labels.ts';
import { goneMarksOf } from './goneMarks.ts';
import { claimUnsaved } from './guardTab.ts';
import { areEqualForms } from './compareForms.ts';
import { isKept } from './markForm.ts';
import { findForm, listUids, markSyncOf, type SyncedMark, storedMarksOf, toStored } from './markKind.ts';
import { markRequestsOf } from './markRequests.ts';
import { marksOf, type MarksState } from './marks.ts';
import { filesOfWork, type MarkWork, parkedMarksOf, renumberMark } from './parkedMarks.ts';
import { areAllFilesKnown, createParking, type FoundWork, type ParkedWork } from './parking.ts';

/**
 * Keeps the marks of this page and of the server equal. A change is sent at once and repeated until the server has it; a
 * change of another client is shown here. Returns a function that stops it.
 */
export function syncMarks(page: Page): () => void {
  const ended = new AbortController();
  /** Of this run of the server. */
  let run = new AbortController();
  const sync = markSyncOf(page);
  const stored = storedMarksOf(page);
  const requests = markRequestsOf(page);
  let revision: number | undefined;
  let isPulling = false;
  let isAskedAgain = false;
  /** What this page shows of the server is no change of the user. */
  let isHearing = false;
  /** Whether the user has decided on the marks that an earlier run kept. */
  let isDecided = false;
  /** Classes of the earlier run. */
  let classesBefore: readonly LabelClass[] = [];

  const signal = () => AbortSignal.any([ended.signal, run.signal]);

  /** What this page has of the run that has ended, saved or not: it is compared with what the next run has. */
  const listWork = (): readonly MarkWork[] =>
    [...new Set([...listUids(page), ...stored.keys()])].map((uid) => {
      const mine = findForm(page, uid);
      const base = stored.get(uid)?.form;
      const isEqual = mine !== undefined && base !== undefined && areEqualForms(base, mine);
      return { uid, mine: isEqual ? base : mine, base };
    });

  const parking = createParking<MarkWork>(page, {
    what: 'marks',
    list: () => listWork().map((work) => ({ work, files: filesOfWork(work) })),
    nameOf: ({ work }) => work.uid,
    isWorthNaming: ({ mine }) => mine !== undefined,
    isReady: () => revision !== undefined && isDecided,
    meet: (found) => meetParked(found),
  });

  const meetParked = (found: readonly FoundWork<MarkWork>[]) => {
    const asked: ParkedWork<MarkWork>[] = [];
    for (const one of found) {
      const { uid, ...kept } = renumberMark(one);
      if (sync.resume(uid, kept) === 'ask') asked.push({ work: one.work, files: one.files });
    }
    parkedMarksOf(page).setState(({ missing }) => ({
      missing: [...missing.filter(({ work: { uid } }) => !stored.has(uid)), ...asked],
    }));
  };

  /** Classes that the restarted server does not have. */
  const meetClasses = () => {
    if (!isDecided) return;
    const known = labelsOf(page).getState().stored?.scheme.classes ?? [];
    const isKnown = ({ key }: LabelClass) => known.some((one) => one.key === key);
    const missing = classesBefore.filter((one) => !isKnown(one));
    classesBefore = [];
    const { missingClasses } = parkedMarksOf(page).getState();
    if (missing.length + missingClasses.length === 0) return;
    parkedMarksOf(page).setState({ missingClasses: [...missingClasses.filter((one) => !isKnown(one)), ...missing] });
  };

  const forget = () => {
    const { missing } = parkedMarksOf(page).getState();
    parking.wait(missing.filter(({ work: { uid } }) => !stored.has(uid)));
    parkedMarksOf(page).setState({ missing: [] });
    classesBefore = labelsOf(page).getState().stored?.scheme.classes ?? classesBefore;
    revision = undefined;
    isDecided = false;
    run.abort();
    run = new AbortController();
    // Before the marks are reset: that must not look like a deletion of all of them.
    sync.stop();
    stored.clear();
  };

  const pull = async (): Promise<void> => {
    isAskedAgain = true;
    if (isPulling || libraryOf(page).getState().connection !== 'live') return;
    isPulling = true;
    const own = signal();
    try {
      // Before the marks: once the user has decided on those that an earlier run kept, the list has them.
      const { kept, searched } = await requests.readJournal(own);
      while (isAskedAgain && !own.aborted) {
        isAskedAgain = false;
        const [changes, labels] = await Promise.all([requests.list(revision, own), requests.readLabels(own)]);
        if (own.aborted) return;
        labelsOf(page).setState({ stored: labels });
        accept(changes);
        revision = changes.revision;
      }
      const journal = await requests.readJournal(own);
      if (own.aborted) return;
      marksOf(page).setState({ journal });
      isDecided = searched && kept === null;
      parking.check();
      meetClasses();
      // The user may decide on those that were kept.
      const isWaiting = !parking.isEmpty() && areAllFilesKnown(libraryOf(page).getState());
      if (!journal.searched || isWaiting) void requests.wait(1_000, own).then(() => (own.aborted ? undefined : pull()));
    } catch {
      // The connection was lost, or the server was restarted: there is news when it is back.
    } finally {
      isPulling = false;
    }
    if (own.aborted && !ended.signal.aborted) void pull();
  };

  const accept = (changes: MarkChanges): void => {
    const { marks, deleted, whole } = changes;
    goneMarksOf(page).hear(changes);
    const others = new Map(whole ? [] : marksOf(page).getState().others);
    const news = new Map<string, SyncedMark | undefined>();
    for (const mark of marks) {
      const found = toStored(mark);
      const known: Pick<WireMark, 'revision'> | undefined = stored.get(mark.uid) ?? others.get(mark.uid);
      // An answer may be older than what this page was told of its own change.
      if (mark.revision < (known?.revision ?? 0)) continue;
      if (found === undefined) others.set(mark.uid, mark);
      else news.set(mark.uid, found);
    }
    const present = new Set(marks.map(({ uid }) => uid));
    const gone = new Set(deleted);
    for (const [uid, { id }] of others) if (gone.has(id)) others.delete(uid);
    for (const [uid, { id }] of stored) if (gone.has(id) || (whole && !present.has(uid))) news.set(uid, undefined);
    marksOf(page).setState({ others });
    isHearing = true;
    sync.hear(news);
    isHearing = false;
  };

  /** What differs between two states of the page is sent. */
  const touch = (uids: readonly string[]) => {
    if (uids.length > 0 && !isHearing) sync.touch(...uids);
  };

  const stops = [
    parking.end,
    page.onRestartFirst(forget),
    page.onRestart(() => void pull()),
    libraryOf(page).subscribe((now, before) => {
      const isListed = areAllFilesKnown(now) && !areAllFilesKnown(before) && !parking.isEmpty();
      const isLive = now.connection === 'live' && before.connection !== 'live';
      if (isLive && sync.store.getState().phase === 'retrying') sync.retry();
      if (isListed || isLive) void pull();
    }),
    claimUnsaved(page, () => {
      const { missing, missingClasses } = parkedMarksOf(page).getState();
      return sync.hasUnsaved() || !parking.isEmpty() || missing.length + missingClasses.length > 0;
    }),
    markNewsOf(page).subscribe(() => void pull()),
    marksOf(page).subscribe(({ marks }, before) => {
      if (marks !== before.marks) touch(changedUids(marks, before.marks));
    }),
    parkedMarksOf(page).subscribe(({ kept }) => {
      if (kept.length === 0) return;
      parkedMarksOf(page).setState({ kept: [] });
      parking.wait(kept);
      void pull();
    }),
  ];
  void pull();
  return () => {
    ended.abort();
    for (const stop of stops) stop();
  };
}

function changedUids(marks: MarksState['marks'], before: MarksState['marks']): readonly string[] {
  const changed = [...marks].flatMap(([uid, mark]) => (mark !== before.get(uid) && isKept(mark) ? uid : []));
  const gone = [...before].flatMap(([uid, mark]) => (isKept(mark) && !marks.has(uid) ? uid : []));
  return [...changed, ...gone];
}
