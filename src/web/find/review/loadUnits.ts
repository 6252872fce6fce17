import type { ReviewQuery, WireReviewUnit } from '../../../shared/contract/review.ts';
import { fetchReview } from '../../kit/api/review.ts';
import type { Page } from '../../kit/state/page.ts';
import { isDecidedIn, reviewPlacesOf, reviewNotesOf, reviewOf } from './review.ts';
import { reviewSyncOf } from './reviewSync.ts';
import { keyOfReviewUnit } from './verdict.ts';

/** Units that one request brings. */
const AT_ONCE = 24;
/** Undecided units that are known in advance. */
const AHEAD = 8;

/** Asks for units, and takes what the server says. Empty if the server has no review, or was restarted meanwhile. */
export async function loadUnits(page: Page, query: ReviewQuery): Promise<readonly WireReviewUnit[]> {
  const notes = reviewNotesOf(page);
  const [{ signal }, began] = [notes.run, notes.answers];
  const review = await fetchReview({ limit: AT_ONCE, ...query }, signal);
  if (signal.aborted) return [];
  if (review === null) {
    reviewOf(page).setState({ head: undefined });
    return [];
  }
  const { units, chosen: _, ...head } = review;
  const store = reviewOf(page);
  const places = reviewPlacesOf(page);
  const { head: before } = store.getState();
  // Positions change while files are found, and with them all that are known.
  const isMoved = (unit: WireReviewUnit) => {
    const known = unit.position === null ? undefined : places.get(unit.position);
    return known !== undefined && known !== keyOfReviewUnit(unit);
  };
  if (before?.total !== head.total || units.some(isMoved)) places.clear();
  for (const unit of units) if (unit.position !== null) places.set(unit.position, keyOfReviewUnit(unit));
  // The answer to a decision is newer than what was asked for before it.
  const isNews = (unit: WireReviewUnit) => (notes.answeredAt.get(keyOfReviewUnit(unit)) ?? 0) <= began;
  store.setState({ head: notes.answers > began && before !== undefined ? { ...head, ...progressOf(before) } : head });
  const known = store.getState();
  const isUnmet = (key: string) => known.mine.has(key) && !known.units.has(key);
  const [unmet, news] = [new Map<string, WireReviewUnit>(), new Map<string, WireReviewUnit>()];
  for (const unit of units.filter(isNews))
    (isUnmet(keyOfReviewUnit(unit)) ? unmet : news).set(keyOfReviewUnit(unit), unit);
  const sync = reviewSyncOf(page);
  sync.hear(news);
  store.setState((state) => ({ units: new Map([...state.units, ...unmet]) }));
  for (const key of unmet.keys()) sync.resume(key, { mine: known.mine.get(key), base: notes.bases.get(key) });
  return units;
}

function progressOf({ total, decided, first_undecided }: Pick<Head, 'total' | 'decided' | 'first_undecided'>) {
  return { total, decided, first_undecided };
}

type Head = NonNullable<Awaited<ReturnType<typeof fetchReview>>>;

/** The unit at a position; undefined if there is none. */
export async function loadPlace(page: Page, position: number): Promise<string | undefined> {
  const places = reviewPlacesOf(page);
  if (position < 0) return undefined;
  if (!places.has(position)) await loadUnits(page, { from: Math.max(0, position - AT_ONCE / 4) });
  return places.get(position);
}

/** The keys of undecided units from a position on that are known without a gap of unknown ones before them. */
export function listAhead(page: Page, position: number): readonly string[] {
  const state = reviewOf(page).getState();
  const places = reviewPlacesOf(page);
  const found: string[] = [];
  for (let at = position; found.length < AHEAD; at += 1) {
    const key = places.get(at);
    if (key === undefined) break;
    if (!isDecidedIn(state, key)) found.push(key);
  }
  return found;
}

/** The next undecided unit from a position on, and then from the first one; undefined if all are decided. */
export async function loadUndecided(page: Page, position: number): Promise<string | undefined> {
  for (const from of position > 0 ? [position, 0] : [0]) {
    const [known] = listAhead(page, from);
    if (known !== undefined) return known;
    const found = await loadFirstUndecided(page, from);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The server may call units undecided whose decisions are on their way. */
async function loadFirstUndecided(page: Page, from: number): Promise<string | undefined> {
  for (let offset = 0; ; offset += AT_ONCE) {
    const units = await loadUnits(page, { state: 'undecided', from, offset });
    const open = units.find((unit) => !isDecidedIn(reviewOf(page).getState(), keyOfReviewUnit(unit)));
    if (open !== undefined) return keyOfReviewUnit(open);
    if (units.length < AT_ONCE) return undefined;
  }
}

/** The unit that a file is part of; undefined if it is part of none. */
export async function loadUnitOfFile(page: Page, fileIndex: number): Promise<string | undefined> {
  const [unit] = await loadUnits(page, { files: [fileIndex] });
  return unit && keyOfReviewUnit(unit);
}

/** Loads what comes next, so that no key has to wait for it. */
export async function loadAhead(page: Page, position: number): Promise<readonly string[]> {
  const known = listAhead(page, position);
  const { head } = reviewOf(page).getState();
  const isEnough = known.length >= AHEAD / 2 || (head !== undefined && known.length >= head.total - head.decided);
  if (isEnough) return known;
  await loadUnits(page, { from: position });
  const found = listAhead(page, position);
  if (found.length >= AHEAD / 2) return found;
  const units = await loadUnits(page, { state: 'undecided', from: position });
  const state = reviewOf(page).getState();
  return units.map(keyOfReviewUnit).filter((key) => !isDecidedIn(state, key));
}
