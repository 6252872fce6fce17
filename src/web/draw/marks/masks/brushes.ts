import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { MarkMask } from '../../../../shared/contract/marks.ts';
import type { MaskBits } from '../../../../shared/maskRuns.ts';
import { say } from '../../../kit/state/messages.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import type { ViewStack } from '../../../kit/state/stacks.ts';
import { stepsOf } from '../../../kit/state/stepHistory.ts';
import { labelsOf } from '../shapes/labels.ts';
import { type MarkWords, NO_WORDS } from '../shapes/measurement.ts';
import { createMarkUid } from '../shapes/measurements.ts';
import { frameKey, type MarkForm, masksOf, parseFrameKey, toSlice } from '../sync/markForm.ts';
import { type MarksState, marksOf } from '../sync/marks.ts';
import { mergeMasks } from './mergeMasks.ts';
import type { PixelBox } from './paintStroke.ts';
import { findStackOfKey } from './placeOfMask.ts';

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
  /** In widths of a pixel. */
  readonly radius: number;
  readonly range: PaintedValues | undefined;
  readonly live: LiveStroke | undefined;
  readonly liveTiles: LiveTiles | undefined;
};

export const SMALLEST_RADIUS = 0.5;
export const LARGEST_RADIUS = 200;

const NO_BRUSHES: BrushState = {
  radius: 8,
  range: undefined,
  live: undefined,
  liveTiles: undefined,
};

export const brushesOf = definePart((page) => {
  const store = createStore<BrushState>(() => NO_BRUSHES);
  labelsOf(page).subscribe(({ nextClass }, before) => {
    if (nextClass !== before.nextClass) chooseBrushMark(page, undefined);
  });
  page.onRestart(() => {
    stepsOf(page).forget(({ part }) => part === 'brush');
    store.setState({ live: undefined, liveTiles: undefined });
  });
  return store;
});

export function useBrushes<T>(select: (state: BrushState) => T): T {
  return useStore(brushesOf(usePage()), select);
}

/** What is listed changes only with the masks. */
const listsOf = definePart(() => new WeakMap<MarksState['masks'], readonly BrushMark[]>());

/** All masks in order of creation. */
export function listBrushMarks(page: Page): readonly BrushMark[] {
  const { masks } = marksOf(page).getState();
  const known = listsOf(page).get(masks);
  if (known !== undefined) return known;
  const list = Array.from(masks, ([uid, form]) => toBrushMark(uid, form));
  listsOf(page).set(masks, list);
  return list;
}

function toBrushMark(uid: string, form: MarkForm): BrushMark {
  const { label, class: key, text, comment, author, locked } = form;
  const words = { label, class: key, text, comment, author, locked };
  return { uid, words, slices: masksOf(form), slide: slideOf(form) };
}

function toForm({ slide, slices, words }: BrushMark): MarkForm {
  const [first = '0 0'] = slices.keys();
  const { fileIndex, frame } = parseFrameKey(first);
  const at = { file_index: fileIndex, frame_index: frame };
  const place: MarkForm['place'] =
    slide === undefined
      ? { type: 'stack', from: at, to: at }
      : { type: 'slide', file_index: slide.fileIndex, focal_plane_um: null, mask_step: slide.step };
  return {
    kind: 'brush',
    place,
    points: [],
    slices: Array.from(slices, ([key, mask]) => toSlice(key, mask)),
    ...words,
  };
}

function slideOf({ place }: Pick<MarkForm, 'place'>): MaskOnSlide | undefined {
  return place.type === 'slide' ? { fileIndex: place.file_index, step: place.mask_step ?? 1 } : undefined;
}

export function findBrushMark(page: Page, uid: string | undefined): BrushMark | undefined {
  return uid === undefined ? undefined : listBrushMarks(page).find((mark) => mark.uid === uid);
}

export function chooseBrushMark(page: Page, chosenMask: string | undefined): void {
  marksOf(page).setState({ chosenMask });
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
  return findStackOfKey(page, key);
}

/**
 * The mask that a stroke on a frame changes: the chosen one if it is of the same stack, else one of the class that the
 * next mark has, else a new one. Undefined if it is locked.
 */
export function markForStroke(page: Page, key: string): BrushMark | undefined {
  const stackId = findStackOfKey(page, key)?.id;
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
  const { chosenMask } = marksOf(page).getState();
  const { nextClass } = labelsOf(page).getState();
  const found =
    here.find(({ uid }) => uid === chosenMask) ??
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
function putStrokes(page: Page, mark: BrushMark, { from, to, words }: Strokes): void {
  const now = findBrushMark(page, mark.uid) ?? { ...mark, slices: new Map<string, MarkMask>() };
  const slices = new Map(now.slices);
  for (const [key, mask] of to) {
    const painted = mergeMasks(from.get(key) ?? null, mask, now.slices.get(key) ?? null);
    if (painted === null) slices.delete(key);
    else slices.set(key, painted);
  }
  marksOf(page).setState(({ masks }) => {
    const next = new Map(masks);
    if (slices.size === 0) next.delete(mark.uid);
    else next.set(mark.uid, toForm({ ...now, slices, words: { ...now.words, ...words } }));
    return { masks: next };
  });
}
