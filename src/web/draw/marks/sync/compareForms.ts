import type { MarkSlice, MarksPatch } from '../../../../shared/contract/marks.ts';
import { isSameMask, mergeMasks } from '../masks/mergeMasks.ts';
import type { MarkWords } from '../shapes/measurement.ts';
import {
  frameKey,
  isMaskForm,
  type PageMark,
  type MarkForm,
  masksOf,
  toSlice,
  withMasks,
  withWords,
  wordsOf,
} from './markForm.ts';
import type { Versions } from './syncedKind.ts';

const WORDS = ['label', 'class', 'text', 'comment', 'author', 'locked'] as const;
const GEOMETRY = ['place', 'points', 'slices'] as const;
const FIELDS = [...GEOMETRY, ...WORDS] as const;

export function isSameGeometry(a: PageMark, b: PageMark): boolean {
  return a.kind === b.kind && GEOMETRY.every((field) => JSON.stringify(a[field]) === JSON.stringify(b[field]));
}

/**
 * What becomes of a mark when the step from one form to another is made, made again or undone: what differs between the
 * two changes, of a mask pixel by pixel, and what another client has changed since stays.
 */
export function rebaseMark(
  now: PageMark | undefined,
  from: PageMark | undefined,
  to: PageMark | undefined,
): PageMark | undefined {
  if (now === from) return to;
  const mask = [now, to, from].find((form) => form !== undefined);
  if (mask === undefined || !isMaskForm(mask)) return rebaseShape(now, from, to);
  const [before, after] = [masksOf(from), masksOf(to)];
  const masks = new Map(masksOf(now));
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const painted = mergeMasks(before.get(key) ?? null, after.get(key) ?? null, masks.get(key) ?? null);
    if (painted === null) masks.delete(key);
    else masks.set(key, painted);
  }
  if (masks.size === 0) return undefined;
  const words = from !== undefined && to !== undefined && now !== undefined ? wordsThatDiffer(from, to) : {};
  return withMasks({ ...mask, ...words }, masks);
}

function rebaseShape(
  now: PageMark | undefined,
  from: PageMark | undefined,
  to: PageMark | undefined,
): PageMark | undefined {
  if (now === undefined || from === undefined || to === undefined) return to;
  const words = wordsThatDiffer(from, to);
  return isSameGeometry(from, to) ? withWords(now, words) : withWords(to, { ...wordsOf(now), ...words });
}

function wordsThatDiffer(from: PageMark, to: PageMark): Partial<MarkWords> {
  return Object.fromEntries(WORDS.filter((field) => from[field] !== to[field]).map((field) => [field, to[field]]));
}

/** The fields in which two forms of a mark differ, with the values of the second. */
export function differenceOf(before: MarkForm, after: MarkForm): Partial<MarkForm> {
  return Object.fromEntries(
    FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field])).map((field) => [
      field,
      after[field],
    ]),
  );
}

export function areEqualForms(a: MarkForm, b: MarkForm): boolean {
  if (a.kind !== 'brush' || b.kind !== 'brush') return Object.keys(differenceOf(a, b)).length === 0;
  // The frames from which to which a mask goes follow from the slices.
  return WORDS.every((field) => a[field] === b[field]) && changedSlices(a, b).length === 0;
}

/**
 * What becomes of a mark that two clients have changed at the same time: fields that only one of them has changed are
 * taken from it, and of masks the pixels. Undefined if both have changed the same field in different ways.
 */
export function mergeForms({ bases, mine, theirs }: Versions<MarkForm>): MarkForm | undefined {
  const taken = new Set<(typeof FIELDS)[number]>();
  const isMask = mine.kind === 'brush';
  for (const field of isMask ? WORDS : FIELDS) {
    const [ours, other] = [mine, theirs].map((form) => JSON.stringify(form[field]));
    if (ours === other) continue;
    const known = bases.map((base) => base && JSON.stringify(base[field]));
    if (known.includes(other)) taken.add(field);
    else if (bases[0] === undefined || known[0] !== ours) return undefined;
  }
  const own = Object.fromEntries([...taken].map((field) => [field, mine[field]]));
  return { ...theirs, ...own, ...(isMask && { slices: mergeSlices({ bases, mine, theirs }) }) };
}

/** What was painted here is in it, and what others have painted since. */
function mergeSlices({ bases, mine, theirs }: Versions<MarkForm>): MarkSlice[] {
  const known = bases.map((base) => masksOf(base));
  const [own, other] = [masksOf(mine), masksOf(theirs)];
  return [...new Set([...other.keys(), ...own.keys()])].flatMap((key) => {
    const [painted, found] = [own.get(key) ?? null, other.get(key) ?? null];
    const isKnown = known.some((masks) => isSameMask(masks.get(key) ?? null, found));
    const mask = isKnown ? painted : mergeMasks(known[0]?.get(key) ?? null, painted, found);
    return mask === null ? [] : [toSlice(key, mask)];
  });
}

/** The slices that make the masks of the second form of those of the first. A slice without a mask removes one. */
export function changedSlices(before: MarkForm | undefined, after: MarkForm): readonly MarkSlice[] {
  if (before?.slices === after.slices) return [];
  const [old, now] = [masksOf(before), masksOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const mask = now.get(key) ?? null;
    return isSameMask(old.get(key) ?? null, mask) ? [] : [toSlice(key, mask)];
  });
}

/** Numbers in one request, which the server limits to 2 MiB: a run has at most 10 digits and a comma. */
const MOST_RUNS = 150_000;

/** As much of a mask as one request can make of what the server has. */
export function cutMask(before: MarkForm | undefined, after: MarkForm): MarkForm {
  const changed = changedSlices(before, after);
  let runs = 0;
  const taken = changed.filter(({ mask }, n) => (runs += mask?.runs.length ?? 0) <= MOST_RUNS || n === 0);
  if (taken.length === changed.length) return after;
  const masks = new Map(masksOf(before));
  for (const { file_index: fileIndex, frame_index: frame, mask } of taken) {
    if (mask === undefined) masks.delete(frameKey({ fileIndex, frame }));
    else masks.set(frameKey({ fileIndex, frame }), mask);
  }
  return { ...after, slices: Array.from(masks, ([key, mask]) => toSlice(key, mask)) };
}

/** Whether the mark has outlines on several frames, before or after a change. They are replaced as a whole. */
export function hasSlicesChanged(before: MarkForm, after: MarkForm): boolean {
  return ['place', 'slices'].some((field) => field in differenceOf(before, after));
}

const WORDS_OF_MANY = ['label', 'class', 'comment', 'author', 'locked'] as const;

/** The change from one form to another, if it is one that a single request can make to many marks. */
export function findWordChange(before: MarkForm, after: MarkForm): MarksPatch['change'] | undefined {
  const changed = FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  const words = WORDS_OF_MANY.filter((field) => changed.includes(field));
  if (words.length === 0 || words.length < changed.length) return undefined;
  const { label, class: key, comment, author, locked } = after;
  const values = { label, class: key, comment, author, locked };
  return Object.fromEntries(words.map((field) => [field, values[field]]));
}
