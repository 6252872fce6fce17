import { claimUnsaved } from '../../draw/marks/sync/guardTab.ts';
import { cellsOf } from '../../kit/state/cells.ts';
import { libraryOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { reviewCommandsOf } from '../../kit/state/reviewKeys.ts';
import { reviewNewsOf } from '../../kit/state/reviewNews.ts';
import { wait } from '../../kit/state/wait.ts';
import { firstOpenedOf } from '../../show/pictures/followAddress.ts';
import { isCohortBehind, isCohortInFront } from '../../kit/state/cohortPlace.ts';
import { panelsOf } from '../../kit/state/panels.ts';
import { fileInCell } from '../studies/fileInCell.ts';
import { noteShown, openUnit } from './decide.ts';
import { loadPlace, loadUndecided, loadUnitOfFile, loadUnits } from './loadUnits.ts';
import { reviewPlacesOf, reviewNotesOf, reviewOf, unitAt } from './review.ts';
import { buildReviewCommands } from './reviewCommands.ts';
import { findCellOfUnit } from './reviewScreen.ts';
import { reviewSyncOf } from './reviewSync.ts';
import { areEqualVerdicts, toVerdict } from './verdict.ts';

/** Least time between two requests for what has changed elsewhere, and the pause after one that failed. */
const PAUSE_MS = 400;
const RETRY_MS = 2_000;
/** A user who scrolls passes many files. */
const REST_MS = 120;

/** Begins the review, and keeps it equal to that of the server. Returns a function that stops it. */
export function followReview(page: Page): () => void {
  const ended = new AbortController();
  const store = reviewOf(page);
  const notes = reviewNotesOf(page);
  const sync = reviewSyncOf(page);
  let isStarted = false;
  let isLooking = false;
  let isNews = true;

  /** What may have changed: the units around the one on the screen. */
  const look = async (): Promise<void> => {
    isNews = true;
    if (isLooking) return;
    isLooking = true;
    while (isNews && !ended.signal.aborted) {
      isNews = false;
      const isDone = await refresh().catch(() => false);
      if (!isDone) isNews = true;
      await wait(isDone ? PAUSE_MS : RETRY_MS, ended.signal);
    }
    isLooking = false;
  };

  const refresh = async (): Promise<boolean> => {
    if (libraryOf(page).getState().connection !== 'live') return false;
    const { run } = notes;
    await loadUnits(page, { from: Math.max(0, notes.lastPosition - 1), limit: 6 });
    if (run.signal.aborted) return false;
    await meetUnmet();
    const unit = unitAt(page);
    // It may be part of no review, or its place unknown.
    if (unit !== undefined && unit.position === null) await loadUnits(page, { files: [unit.file] });
    if (!isStarted && (await start())) isStarted = true;
    return !run.signal.aborted;
  };

  /** Shows the first unit when there is one. In a blind review the order is known when all files are found. */
  const start = async (): Promise<boolean> => {
    const { head, at } = store.getState();
    if (head === undefined || at !== undefined) return at !== undefined;
    if (head.total === 0 || (head.is_blind && !head.is_complete)) return false;
    reviewCommandsOf(page).setState({ commands: buildReviewCommands(page, head.scheme) });
    // The table or the gallery of a link stays until the user has come to the images.
    if (isCohortInFront(page)) return false;
    const { activeCell } = cellsOf(page).getState();
    const isChosen = firstOpenedOf(page).isNamed || isCohortBehind(page);
    const file = isChosen ? fileInCell(page, activeCell) : undefined;
    const named = file && (await loadUnitOfFile(page, file.index));
    if (named !== undefined) noteShown(page, named);
    else {
      const key = (await loadUndecided(page, 0)) ?? (await loadPlace(page, 0));
      // Opening it takes as long as its images; news meanwhile is heard.
      if (key !== undefined) void openUnit(page, key);
    }
    return true;
  };

  /** Decisions that the run before did not acknowledge meet what this one has, when their files are found. */
  const meetUnmet = async (): Promise<void> => {
    const { mine, units } = store.getState();
    for (const key of mine.keys()) {
      const [study, series, instance] = key.split('\0');
      const file =
        !units.has(key) &&
        libraryOf(page)
          .getState()
          .files.find(
            (one) =>
              one.study_instance_uid === study &&
              (series === '' || one.series_instance_uid === series) &&
              (instance === '' || one.sop_instance_uid === instance),
          );
      if (file) await loadUnitOfFile(page, file.index);
    }
  };

  const forget = () => {
    const { mine, units } = store.getState();
    for (const key of mine.keys()) {
      const unit = units.get(key);
      if (unit !== undefined) notes.bases.set(key, toVerdict(unit.decision));
    }
    notes.run.abort();
    notes.run = new AbortController();
    notes.answeredAt.clear();
    sync.stop();
    reviewPlacesOf(page).clear();
    isStarted = false;
    // What this page has said stays in sight.
    store.setState({ units: new Map(), at: undefined, phase: 'opening' });
  };

  /** The unit is that which is on the screen, whoever has opened it. */
  let resting: AbortController | undefined;
  const followCells = () => {
    const { at, phase } = store.getState();
    const unit = unitAt(page);
    if (!isStarted || phase !== 'shown' || isCohortInFront(page)) return;
    resting?.abort();
    if (unit !== undefined && findCellOfUnit(page, unit) !== undefined) return;
    const file = fileInCell(page, cellsOf(page).getState().activeCell);
    if (file === undefined) return;
    const rest = new AbortController();
    resting = rest;
    void takeUp(file.index, at, rest.signal);
  };

  /** The unit of a file becomes the one that is decided on, if the user stays there. */
  const takeUp = async (fileIndex: number, before: string | undefined, rest: AbortSignal): Promise<void> => {
    const { steps } = notes;
    const signal = AbortSignal.any([rest, ended.signal]);
    await wait(REST_MS, signal);
    if (signal.aborted || notes.steps !== steps) return;
    const key = await loadUnitOfFile(page, fileIndex).catch(() => undefined);
    if (signal.aborted || notes.steps !== steps || store.getState().at !== before) return;
    if (key === undefined) store.setState({ at: undefined });
    else noteShown(page, key);
  };

  const stops = [
    page.onRestartFirst(forget),
    page.onRestart(() => void look()),
    sync.store.subscribe(({ phase }) => {
      if (phase === 'saved') forgetWritten(page);
    }),
    reviewNewsOf(page).subscribe(() => void look()),
    libraryOf(page).subscribe((now, before) => {
      const isFound =
        now.summary?.revision !== before.summary?.revision || now.isSeriesComplete !== before.isSeriesComplete;
      const isLive = now.connection === 'live' && before.connection !== 'live';
      if (isLive) sync.retry();
      if (isFound || isLive || now.summary?.scan_complete !== before.summary?.scan_complete) void look();
    }),
    panelsOf(page).subscribe(({ cohortAt }, before) => {
      if (cohortAt === before.cohortAt) return;
      if (isStarted) followCells();
      else void look();
    }),
    cellsOf(page).subscribe(followCells),
    store.subscribe(({ phase }, before) => {
      if (phase === 'shown' && before.phase !== 'shown') followCells();
    }),
    claimUnsaved(page, () => store.getState().mine.size > 0 || sync.hasUnsaved()),
  ];
  void look();
  return () => {
    ended.abort();
    resting?.abort();
    reviewCommandsOf(page).setState({ commands: undefined });
    for (const stop of stops) stop();
  };
}

/** When nothing is on its way, what the server has is not kept here too. */
function forgetWritten(page: Page): void {
  const { mine, units } = reviewOf(page).getState();
  const kept = [...mine].filter(([key, verdict]) => {
    const unit = units.get(key);
    return unit === undefined || !areEqualVerdicts(verdict, toVerdict(unit.decision));
  });
  if (kept.length < mine.size) reviewOf(page).setState({ mine: new Map(kept) });
}

/** Of two decisions, that of the other page is taken. */
export function takeTheirs(page: Page, key: string): void {
  reviewOf(page).setState(({ mine }) => {
    const next = new Map(mine);
    next.delete(key);
    return { mine: next };
  });
  reviewSyncOf(page).decide(key);
}

/** Of two decisions, that of this page is written. */
export function keepMine(page: Page, key: string): void {
  reviewSyncOf(page).decide(key);
}
