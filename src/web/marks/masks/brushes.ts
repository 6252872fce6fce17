import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { MarkBody, MarkMask, MarkSlice, WireMark } from '../../../shared/contract/marks.ts';
import type { MaskBits } from '../../../shared/maskRuns.ts';
import type { FrameAddress } from '../../api/frames.ts';
import { labelsOf } from '../shapes/labels.ts';
import { marksOf } from '../sync/marks.ts';
import { type MarkWords, NO_WORDS } from '../shapes/measurement.ts';
import { createMarkUid } from '../shapes/measurements.ts';
import { type MarkForm, toMaskForm } from '../sync/markForm.ts';
import { type PageMark, parkedMarksOf, parkMarks } from '../sync/parkedMarks.ts';
import { findFile, stackOf } from '../../state/library.ts';
import { say } from '../../state/messages.ts';
import { definePart, type Page, usePage } from '../../state/page.ts';
import type { ViewStack } from '../../state/stacks.ts';
import { stepsOf } from '../../state/stepHistory.ts';
import { isSameMask, mergeMasks } from './mergeMasks.ts';
import type { PixelBox } from './paintStroke.ts';

/** A slide, by the first file of its largest level, and how many pixels of that level a pixel of the mask covers. */
export type MaskOnSlide = { readonly fileIndex: number; readonly step: number };

/** A mask that the user paints, on any number of frames of one stack or on a slide. */
export type BrushMark = {
  readonly uid: string;
  readonly words: MarkWords;
  readonly slide: MaskOnSlide | undefined;
  /** By `frameKey`. On a slide these are tiles, whose numbers are in place of those of frames. */
  readonly slices: ReadonlyMap<string, MarkMask>;
};

/** A mask that was painted here. Null where there is none. */
export type PaintedMask = {
  readonly mask: MarkMask | null;
  /** What it was painted on, as the server had it. What others have painted on that since is added to the mask. */
  readonly from: MarkMask | null;
  /** What was sent without an answer: the server may have one of these. */
  readonly sent?: readonly (MarkMask | null)[];
};

/** What this page has changed and the server does not know yet. */
export type BrushChange = {
  readonly slices: ReadonlyMap<string, PaintedMask>;
  readonly words: Partial<MarkWords>;
  /** All words before the change, for the case that another client deletes the mask or changes the same words. */
  readonly wordsBefore: MarkWords;
  readonly slide: MaskOnSlide | undefined;
};

/** The stroke that is being painted. */
export type LiveStroke = {
  readonly uid: string;
  readonly words: MarkWords;
  readonly key: string;
  readonly mask: MaskBits;
  /** Where it has painted, in order. */
  readonly painted: readonly PixelBox[];
};

/** The stroke that is being painted on a slide. */
export type LiveTiles = {
  readonly uid: string;
  readonly words: MarkWords;
  readonly slide: MaskOnSlide;
  /** The tiles that it has reached, by their numbers. Their pixels change while the stroke is painted. */
  readonly tiles: ReadonlyMap<number, MaskBits>;
};

/** Values that the brush may paint, in the unit of the modality; both ends included. */
export type PaintedValues = { readonly low: number; readonly high: number };

export type BrushState = {
  /** By uid. */
  readonly changes: ReadonlyMap<string, BrushChange>;
  /** The mask that the next stroke changes; undefined for a new one. */
  readonly chosenUid: string | undefined;
  /** In widths of a pixel. */
  readonly radius: number;
  readonly range: PaintedValues | undefined;
  readonly live: LiveStroke | undefined;
  readonly liveTiles: LiveTiles | undefined;
};

export const SMALLEST_RADIUS = 0.5;
export const LARGEST_RADIUS = 200;

const NO_BRUSHES: BrushState = {
  changes: new Map(),
  chosenUid: undefined,
  radius: 8,
  range: undefined,
  live: undefined,
  liveTiles: undefined,
};

export const brushesOf = definePart((page) => {
  const store = createStore<BrushState>(() => NO_BRUSHES);
  labelsOf(page).subscribe(({ nextClass }, before) => {
    if (nextClass !== before.nextClass) store.setState({ chosenUid: undefined });
  });
  // While the marks of the server are still known.
  page.onRestartFirst(() => parkChanges(page, store.getState()));
  parkedMarksOf(page).subscribe(({ masks }) => {
    if (masks.length === 0) return;
    parkedMarksOf(page).setState({ masks: [] });
    const { others } = marksOf(page).getState();
    const changes = masks.map((mark) => [mark.uid, toChange(mark, others.has(mark.uid))] as const);
    store.setState((state) => ({ changes: new Map([...state.changes, ...changes]) }));
  });
  page.onRestart(() => {
    stepsOf(page).forget(({ part }) => part === 'brush');
    store.setState({ changes: new Map(), chosenUid: undefined, live: undefined, liveTiles: undefined });
  });
  return store;
});

export function useBrushes<T>(select: (state: BrushState) => T): T {
  return useStore(brushesOf(usePage()), select);
}

export function frameKey({ fileIndex, frame }: FrameAddress): string {
  return `${fileIndex} ${frame}`;
}

export function parseFrameKey(key: string): FrameAddress {
  const [fileIndex = 0, frame = 0] = key.split(' ').map(Number);
  return { fileIndex, frame };
}

/** What is listed changes only with what it is made of. */
const listsOf = definePart((): { others?: unknown; changes?: unknown; list: readonly BrushMark[] } => ({ list: [] }));

/** All masks, as the server has them and this page has changed them, in order of creation. */
export function listBrushMarks(page: Page): readonly BrushMark[] {
  const { others } = marksOf(page).getState();
  const { changes } = brushesOf(page).getState();
  const known = listsOf(page);
  if (known.others === others && known.changes === changes) return known.list;
  const uids = new Set([...[...others.values()].filter(isBrush).map(({ uid }) => uid), ...changes.keys()]);
  const list = [...uids].map((uid) => joinMark(uid, others.get(uid), changes.get(uid))).filter(isPainted);
  Object.assign(known, { others, changes, list });
  return list;
}

function isBrush({ kind }: WireMark): boolean {
  return kind === 'brush';
}

function isPainted({ slices }: BrushMark): boolean {
  return slices.size > 0;
}

function joinMark(uid: string, mark: WireMark | undefined, change: BrushChange | undefined): BrushMark {
  const slices = new Map<string, MarkMask>();
  for (const { file_index, frame_index, mask } of mark?.slices ?? []) {
    if (mask !== undefined) slices.set(frameKey({ fileIndex: file_index, frame: frame_index }), mask);
  }
  for (const [key, painted] of change?.slices ?? []) {
    const mask = addStrokes(painted, slices.get(key) ?? null);
    if (mask === null) slices.delete(key);
    else slices.set(key, mask);
  }
  const slide = mark === undefined ? change?.slide : slideOf(mark);
  return { uid, slices, slide, words: { ...wordsOf(mark ?? change?.wordsBefore ?? NO_WORDS), ...change?.words } };
}

/** What was painted here, on top of what the server has now. */
function addStrokes({ mask, from, sent = [] }: PaintedMask, theirs: MarkMask | null): MarkMask | null {
  return sent.some((one) => isSameMask(one, theirs)) ? mask : mergeMasks(from, mask, theirs);
}

export function wordsOf({ label, class: key, text, comment, author, locked }: MarkWords): MarkWords {
  return { label, class: key, text, comment, author, locked };
}

/** Keeps what the server has not received over its restart, with the masks that it was painted on. */
function parkChanges(page: Page, { changes }: BrushState): void {
  const { others } = marksOf(page).getState();
  const parked = Array.from(changes, ([uid, change]) => {
    const mark = others.get(uid);
    const joined = joinMark(uid, mark, change);
    return { uid, mine: toForm(page, joined), base: mark && toMaskForm(mark) };
  });
  parkMarks(page, parked);
}

function toForm(page: Page, mark: BrushMark): MarkForm {
  const slices = Array.from(mark.slices, ([key, mask]) => toSlice(key, mask));
  return { kind: 'brush', place: placeOfMask(page, mark), points: [], slices, ...mark.words };
}

export function toSlice(key: string, mask: MarkMask | null): MarkSlice {
  const { fileIndex, frame } = parseFrameKey(key);
  return { file_index: fileIndex, frame_index: frame, points: [], ...(mask !== null && { mask }) };
}

/** From the first to the last painted frame in the shown order of the stack, or the slide. */
export function placeOfMask(page: Page, mark: BrushMark): MarkBody['place'] {
  if (mark.slide !== undefined) {
    const { fileIndex, step } = mark.slide;
    return { type: 'slide', file_index: fileIndex, focal_plane_um: null, mask_step: step };
  }
  const stack = stackOfMark(page, mark);
  const keys = [...mark.slices.keys()];
  const sorted = stack === undefined ? keys : positionsOf(stack, keys).map(([, key]) => key);
  const [from, to] = [sorted[0] ?? '0 0', sorted.at(-1) ?? '0 0'].map((key) => toAddress(parseFrameKey(key)));
  return { type: 'stack', from: from!, to: to! };
}

function toAddress({ fileIndex, frame }: FrameAddress) {
  return { file_index: fileIndex, frame_index: frame };
}

/** The change of a mask from before a restart. A server that does not have the mask gets all of it. */
function toChange({ mine, base: known }: PageMark, isThere: boolean): BrushChange {
  const base = isThere ? known : undefined;
  const [before, after] = [masksOf(base), masksOf(mine)];
  const slices = new Map<string, PaintedMask>();
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [from, mask] = [before.get(key) ?? null, after.get(key) ?? null];
    if (!isSameMask(from, mask)) slices.set(key, { from, mask });
  }
  const wordsBefore = wordsOf(known ?? mine ?? NO_WORDS);
  const words = wordsOf(mine ?? NO_WORDS);
  const changed = base === undefined ? words : changedWords(wordsBefore, words);
  return { slices, words: changed, wordsBefore, slide: mine && slideOf(mine) };
}

function masksOf(form: MarkForm | undefined): ReadonlyMap<string, MarkMask> {
  return new Map(
    (form?.slices ?? []).flatMap(({ file_index, frame_index, mask }) =>
      mask === undefined ? [] : [[frameKey({ fileIndex: file_index, frame: frame_index }), mask] as const],
    ),
  );
}

/** The words of the second that differ from those of the first. */
function changedWords(before: MarkWords, after: MarkWords): Partial<MarkWords> {
  const words = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(Object.entries(after).filter(([name, word]) => words.get(name) !== word));
}

function slideOf({ place }: Pick<WireMark, 'place'>): MaskOnSlide | undefined {
  return place.type === 'slide' ? { fileIndex: place.file_index, step: place.mask_step ?? 1 } : undefined;
}

export function findBrushMark(page: Page, uid: string | undefined): BrushMark | undefined {
  return uid === undefined ? undefined : listBrushMarks(page).find((mark) => mark.uid === uid);
}

export function chooseBrushMark(page: Page, chosenUid: string | undefined): void {
  brushesOf(page).setState({ chosenUid });
}

export function setRadius(page: Page, radius: number): void {
  brushesOf(page).setState({ radius: Math.min(LARGEST_RADIUS, Math.max(SMALLEST_RADIUS, radius)) });
}

export function setRange(page: Page, range: PaintedValues | undefined): void {
  brushesOf(page).setState({ range });
}

/** The stack that has the frames of a mask; undefined on a slide. */
export function stackOfMark(page: Page, { slices, slide }: BrushMark): ViewStack | undefined {
  if (slide !== undefined) return undefined;
  const [key] = slices.keys();
  return key === undefined ? undefined : stackOfKey(page, key);
}

function stackOfKey(page: Page, key: string): ViewStack | undefined {
  const file = findFile(page, parseFrameKey(key).fileIndex);
  return file && stackOf(page, file);
}

/** Places of its frames in the shown order of the stack, ascending. Frames that the stack does not have come first. */
export function positionsOf(stack: ViewStack, keys: Iterable<string>): readonly (readonly [number, string])[] {
  const places = new Map(stack.frames.map((frame, position) => [frameKey(frame), position]));
  return [...keys].map((key): [number, string] => [places.get(key) ?? -1, key]).toSorted(([a], [b]) => a - b);
}

/**
 * The mask that a stroke on a frame changes: the chosen one if it is of the same stack, else one of the class that the
 * next mark has, else a new one. Undefined if it is locked.
 */
export function markForStroke(page: Page, key: string): BrushMark | undefined {
  const stackId = stackOfKey(page, key)?.id;
  const here = listBrushMarks(page).filter(
    (mark) => mark.slide === undefined && stackOfMark(page, mark)?.id === stackId,
  );
  return chooseMark(page, here, undefined);
}

/** The same on a slide. A new mask has pixels of `step`. */
export function markForTiles(page: Page, slide: MaskOnSlide): BrushMark | undefined {
  const here = listBrushMarks(page).filter((mark) => mark.slide?.fileIndex === slide.fileIndex);
  return chooseMark(page, here, slide);
}

function chooseMark(page: Page, here: readonly BrushMark[], slide: MaskOnSlide | undefined): BrushMark | undefined {
  const { chosenUid } = brushesOf(page).getState();
  const { nextClass } = labelsOf(page).getState();
  const found =
    here.find(({ uid }) => uid === chosenUid) ??
    here.find(({ words }) => nextClass !== null && words.class === nextClass && !words.locked);
  if (found?.words.locked !== true) return found ?? createBrushMark(page, slide);
  say(page, 'This mask is locked', 'failed');
  return undefined;
}

export function createBrushMark(page: Page, slide?: MaskOnSlide): BrushMark {
  const words = { ...NO_WORDS, class: labelsOf(page).getState().nextClass };
  return { uid: createMarkUid(), words, slide, slices: new Map() };
}

/** By `frameKey`; null where there is none. */
type Masks = ReadonlyMap<string, MarkMask | null>;

/** Changes masks of frames as one step that can be undone. A null removes the mask of a frame. */
export function changeMasks(
  page: Page,
  mark: BrushMark,
  changed: Masks,
  { isElsewhere = false }: { readonly isElsewhere?: boolean } = {},
): void {
  const [key] = changed.keys();
  if (key === undefined) return;
  const before = new Map([...changed.keys()].map((one) => [one, mark.slices.get(one) ?? null]));
  const { fileIndex, frame } = parseFrameKey(key);
  const put = (from: Masks, to: Masks) => {
    // A mask that is not there yet, or no longer, is made with its words.
    const words = findBrushMark(page, mark.uid) === undefined ? mark.words : {};
    putStrokes(page, mark, { from, to, words });
  };
  stepsOf(page).record({
    part: 'brush',
    fileIndex,
    frame,
    isOn: (shown) => changed.has(frameKey({ fileIndex, frame: shown })),
    isWhole: mark.slide === undefined ? undefined : true,
    isElsewhere: isElsewhere ? true : undefined,
    undo: () => put(changed, before),
    redo: () => put(before, changed),
  });
  put(before, changed);
  chooseBrushMark(page, mark.uid);
}

export function changeWords(page: Page, uid: string, words: Partial<MarkWords>): void {
  const mark = findBrushMark(page, uid);
  if (mark !== undefined) putStrokes(page, mark, { from: new Map(), to: new Map(), words });
}

export function deleteBrushMark(page: Page, mark: BrushMark): void {
  if (mark.words.locked) {
    say(page, 'This mask is locked', 'failed');
    return;
  }
  changeMasks(page, mark, new Map([...mark.slices.keys()].map((key) => [key, null])));
  chooseBrushMark(page, undefined);
}

type Strokes = { readonly from: Masks; readonly to: Masks; readonly words: Partial<MarkWords> };

/**
 * Changes the pixels that differ between `from` and `to`, and no others: another client may have painted the same frames
 * since the stroke began, or since the step that is undone.
 */
function putStrokes(page: Page, { uid, slide, words: known }: BrushMark, { from, to, words }: Strokes): void {
  const mark = marksOf(page).getState().others.get(uid);
  const theirs = joinMark(uid, mark, undefined).slices;
  brushesOf(page).setState(({ changes }) => {
    const before = changes.get(uid);
    const now = joinMark(uid, mark, before).slices;
    const slices = new Map(before?.slices);
    for (const [key, mask] of to) {
      const painted = mergeMasks(from.get(key) ?? null, mask, now.get(key) ?? null);
      slices.set(key, { ...slices.get(key), mask: painted, from: theirs.get(key) ?? null });
    }
    const next = {
      slices,
      words: { ...before?.words, ...words },
      wordsBefore: before?.wordsBefore ?? known,
      slide,
    };
    return { changes: new Map(changes).set(uid, next) };
  });
}
