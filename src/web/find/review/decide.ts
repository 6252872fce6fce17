import { cellsOf } from '../../kit/state/cells.ts';
import { say } from '../../kit/state/messages.ts';
import { isCohortInFront } from '../../kit/state/cohortPlace.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { loadAhead, loadPlace, loadUndecided, loadUnits } from './loadUnits.ts';
import { reviewNotesOf, reviewOf, unitAt, verdictIn } from './review.ts';
import { prefetchUnits, showUnit } from './reviewScreen.ts';
import { reviewSyncOf } from './reviewSync.ts';
import { asError } from '../../../shared/asError.ts';
import { areEqualVerdicts, keyOfReviewUnit, listMissing, type GivenVerdict, withVerdict } from './verdict.ts';

/** First pictures that are loaded in advance. */
const PREFETCHED = 3;
/** What the user can take back. */
const MOST_STEPS = 1_000;

/** Shows a unit, which is then the one that is decided on. */
export async function openUnit(page: Page, key: string): Promise<void> {
  const store = reviewOf(page);
  const notes = reviewNotesOf(page);
  const { head, units, at } = store.getState();
  const unit = units.get(key);
  if (head === undefined || unit === undefined) return;
  const step = (notes.steps += 1);
  const before = unitAt(page);
  store.setState({ at: key, phase: 'opening' });
  await showUnit(page, head.level, unit, at === key ? undefined : before);
  if (notes.steps === step) noteShown(page, key);
}

/** The unit is on the screen. */
export function noteShown(page: Page, key: string): void {
  const notes = reviewNotesOf(page);
  reviewOf(page).setState({ at: key, phase: 'shown' });
  notes.shownAt = performance.now();
  notes.lastPosition = unitAt(page)?.position ?? notes.lastPosition;
  void prepareNext(page).catch(() => undefined);
}

async function prepareNext(page: Page): Promise<void> {
  const { lastPosition, steps } = reviewNotesOf(page);
  const keys = await loadAhead(page, lastPosition + 1);
  const { head, units } = reviewOf(page).getState();
  if (head === undefined || reviewNotesOf(page).steps !== steps) return;
  const next = keys.slice(0, PREFETCHED).flatMap((key) => units.get(key) ?? []);
  await prefetchUnits(page, head.level, next);
}

/** Runs what a key asks for. What fails says so, and the unit stays. */
function run(page: Page, act: () => Promise<void>): void {
  act().catch((error: unknown) => {
    say(page, `The next unit cannot be opened: ${asError(error).message}.`, 'failed');
  });
}

export function stepUnit(page: Page, by: 1 | -1): void {
  run(page, async () => {
    const found = await loadPlace(page, reviewNotesOf(page).lastPosition + by);
    if (found !== undefined) return openUnit(page, found);
    say(page, by > 0 ? 'This is the last unit.' : 'This is the first unit.');
  });
}

export function goToFirstUndecided(page: Page): void {
  run(page, () => openUndecided(page, 0));
}

async function openUndecided(page: Page, from: number): Promise<void> {
  const { at } = reviewOf(page).getState();
  const key = await loadUndecided(page, from);
  if (key !== undefined && key !== at) await openUnit(page, key);
  else if (key === undefined) say(page, 'All units are decided.');
}

/** After a decision: the next undecided unit. */
export function goOn(page: Page): void {
  run(page, () => openUndecided(page, reviewNotesOf(page).lastPosition + 1));
}

export type Change = (before: GivenVerdict) => GivenVerdict;

/** Changes what is said of units. Those of which nothing else is missing are written at once. */
export function changeVerdicts(page: Page, keys: readonly string[], change: Change): void {
  const state = reviewOf(page).getState();
  const { history } = reviewNotesOf(page);
  const changed = keys.flatMap((key) => {
    const before = verdictIn(state, key);
    const next = change(before);
    return areEqualVerdicts(before, next) ? [] : [{ key, before, next }];
  });
  if (changed.length > 0) history.push(changed);
  history.splice(0, history.length - MOST_STEPS);
  putVerdicts(page, new Map(changed.map(({ key, next }) => [key, next])));
  // Also what was said again: a question about it is answered.
  send(page, keys);
}

function putVerdicts(page: Page, verdicts: ReadonlyMap<string, GivenVerdict>): void {
  // Also what is as the server has it: another decision may be on its way, and its answer must not bring that back.
  reviewOf(page).setState(({ mine }) => ({ mine: new Map([...mine, ...verdicts]) }));
}

function send(page: Page, keys: readonly string[]): void {
  const sync = reviewSyncOf(page);
  for (const key of keys) sync.decide(key);
  sync.touch(...keys);
}

/** Changes what is said of the unit on the screen. */
export function changeHere(page: Page, change: Change): boolean {
  const { at, phase } = reviewOf(page).getState();
  if (at === undefined || phase !== 'shown') {
    say(page, at === undefined ? 'No unit is shown.' : 'The unit is not on the screen yet.', 'failed');
    return false;
  }
  const notes = reviewNotesOf(page);
  notes.shownMs.set(at, Math.round(performance.now() - notes.shownAt));
  changeVerdicts(page, [at], change);
  return true;
}

/** Decides, and goes on if nothing else is required. */
export function decideHere(page: Page, verdict: string): void {
  if (!changeHere(page, (before) => withVerdict(before, verdict))) return;
  goOnIfComplete(page);
}

export function goOnIfComplete(page: Page): void {
  const state = reviewOf(page).getState();
  if (state.at === undefined || state.head === undefined) return;
  if (listMissing(state.head.scheme, verdictIn(state, state.at)).length === 0) goOn(page);
  else reviewOf(page).setState(({ asked }) => ({ asked: asked + 1 }));
}

/** Takes the last decision of this page back, and shows its unit. */
export function takeBack(page: Page): void {
  const last = reviewNotesOf(page).history.pop();
  const [first] = last ?? [];
  if (last === undefined || first === undefined) {
    say(page, 'Nothing was decided in this page.');
    return;
  }
  putVerdicts(page, new Map(last.map(({ key, before }) => [key, before])));
  send(
    page,
    last.map(({ key }) => key),
  );
  if (last.length > 1 || isCohortInFront(page))
    say(page, last.length > 1 ? `${last.length} decisions were taken back.` : 'The decision was taken back.');
  else run(page, () => openUnit(page, first.key));
}

/** Back to the images, where keys decide. */
export function focusImages(page: Page): void {
  document.querySelector<HTMLElement>(`[data-cell="${cellsOf(page).getState().activeCell}"]`)?.focus();
}

/** Files whose units one request asks for: the address of a request has an end. */
const FILES_AT_ONCE = 300;

/** Changes what is said of the units of files. Returns how many units these are. */
export async function changeUnitsOf(page: Page, files: readonly number[], change: Change): Promise<number> {
  const keys = new Set<string>();
  for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
    const part = files.slice(at, at + FILES_AT_ONCE);
    for (const unit of await loadUnits(page, { files: part, limit: FILES_AT_ONCE })) keys.add(keyOfReviewUnit(unit));
  }
  changeVerdicts(page, [...keys], change);
  return keys.size;
}

/** Decides on what is selected in something that lies over the images: the table, the gallery, the lightbox. */
export const deciderOf = definePart((): { decide: ((change: Change, title: string) => void) | undefined } => ({
  decide: undefined,
}));

/** A verdict of a key, for what is selected or the unit on the screen. */
export function decideByKey(page: Page, { id, title }: { readonly id: string; readonly title: string }): void {
  const { decide } = deciderOf(page);
  if (decide !== undefined) decide((before) => withVerdict(before, id), title);
  else if (isCohortInFront(page)) say(page, 'Nothing is selected.', 'failed');
  else decideHere(page, id);
}
