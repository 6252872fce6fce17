import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { MarkMask, WireMark } from '../../shared/contract/marks.ts';
import type { MaskBits } from '../../shared/maskRuns.ts';
import type { FrameAddress } from '../api/frames.ts';
import { labelsOf } from '../measure/labels.ts';
import { marksOf } from '../measure/marks.ts';
import { type MarkWords, NO_WORDS } from '../measure/measurement.ts';
import { createMarkUid } from '../measure/measurements.ts';
import { findFile, stackOf } from '../state/library.ts';
import { say } from '../state/messages.ts';
import { definePart, type Page, usePage } from '../state/page.ts';
import type { ViewStack } from '../state/stacks.ts';
import { stepsOf } from '../state/stepHistory.ts';
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

/** What this page has changed and the server does not know yet. */
export type BrushChange = {
  /** Null where nothing is left. */
  readonly slices: ReadonlyMap<string, MarkMask | null>;
  readonly words: Partial<MarkWords>;
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
  for (const [key, mask] of change?.slices ?? []) {
    if (mask === null) slices.delete(key);
    else slices.set(key, mask);
  }
  const { label, class: key, text, comment, author, locked } = mark ?? NO_WORDS;
  const slide = mark === undefined ? change?.slide : slideOf(mark);
  return { uid, slices, slide, words: { label, class: key, text, comment, author, locked, ...change?.words } };
}

function slideOf({ place }: WireMark): MaskOnSlide | undefined {
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

/** Changes masks of frames as one step that can be undone. A null removes the mask of a frame. */
export function changeMasks(
  page: Page,
  mark: BrushMark,
  changed: ReadonlyMap<string, MarkMask | null>,
  { isElsewhere = false }: { readonly isElsewhere?: boolean } = {},
): void {
  const [key] = changed.keys();
  if (key === undefined) return;
  const before = new Map([...changed.keys()].map((one) => [one, mark.slices.get(one) ?? null]));
  const { fileIndex, frame } = parseFrameKey(key);
  const put = (slices: ReadonlyMap<string, MarkMask | null>) => {
    // A mask that is not there yet, or no longer, is made with its words.
    const words = findBrushMark(page, mark.uid) === undefined ? mark.words : {};
    putChange(page, mark.uid, { slices, words, slide: mark.slide });
  };
  stepsOf(page).record({
    part: 'brush',
    fileIndex,
    frame,
    isOn: (shown) => changed.has(frameKey({ fileIndex, frame: shown })),
    isWhole: mark.slide === undefined ? undefined : true,
    isElsewhere: isElsewhere ? true : undefined,
    undo: () => put(before),
    redo: () => put(changed),
  });
  put(changed);
  chooseBrushMark(page, mark.uid);
}

export function changeWords(page: Page, uid: string, words: Partial<MarkWords>): void {
  putChange(page, uid, { slices: new Map(), words, slide: findBrushMark(page, uid)?.slide });
}

export function deleteBrushMark(page: Page, mark: BrushMark): void {
  if (mark.words.locked) {
    say(page, 'This mask is locked', 'failed');
    return;
  }
  changeMasks(page, mark, new Map([...mark.slices.keys()].map((key) => [key, null])));
  chooseBrushMark(page, undefined);
}

function putChange(page: Page, uid: string, { slices, words, slide }: BrushChange): void {
  brushesOf(page).setState(({ changes }) => {
    const known = changes.get(uid);
    const next = {
      slices: new Map([...(known?.slices ?? []), ...slices]),
      words: { ...known?.words, ...words },
      slide,
    };
    return { changes: new Map(changes).set(uid, next) };
  });
}
