import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { MarkMask } from '../../../../shared/contract/marks.ts';
import type { MaskBits } from '../../../../shared/maskRuns.ts';
import { say } from '../../../kit/state/messages.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import type { ViewStack } from '../../../kit/state/stacks.ts';
import { labelsOf } from '../shapes/labels.ts';
import { type MarkWords, NO_WORDS } from '../shapes/measurement.ts';
import { frameKey, isMaskForm, type MarkForm, masksOf, parseFrameKey, withMasks, wordsOf } from '../sync/markForm.ts';
import { recordMarks, createMarkUid, marksOf, type MarksState, selectMark } from '../sync/marks.ts';
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
    store.setState({ live: undefined, liveTiles: undefined });
  });
  return store;
});

export function useBrushes<T>(select: (state: BrushState) => T): T {
  return useStore(brushesOf(usePage()), select);
}

/** The list that was made last. */
const listOf = definePart((): { marks?: MarksState['marks']; list: readonly BrushMark[] } => ({ list: [] }));

/** All masks in order of creation. */
export function listBrushMarks(page: Page): readonly BrushMark[] {
  const { marks } = marksOf(page).getState();
  const known = listOf(page);
  if (known.marks === marks) return known.list;
  const list = [...marks].flatMap(([uid, form]) => (isMaskForm(form) ? toBrushMark(uid, form) : []));
  // The same list while nothing in it has changed, such as when shapes are drawn.
  const isSame = list.length === known.list.length && list.every((mark, n) => mark === known.list[n]);
  Object.assign(known, { marks, ...(!isSame && { list }) });
  return known.list;
}

/** A form does not change, so that the same mask is the same object. */
const knownMasks = new WeakMap<MarkForm, BrushMark>();

function toBrushMark(uid: string, form: MarkForm): BrushMark {
  const known = knownMasks.get(form);
  if (known !== undefined) return known;
  const mark = { uid, words: wordsOf(form), slices: masksOf(form), slide: slideOf(form) };
  knownMasks.set(form, mark);
  return mark;
}

function toForm({ slide, slices, words }: BrushMark): MarkForm {
  const nowhere = { file_index: 0, frame_index: 0 };
  const place: MarkForm['place'] =
    slide === undefined
      ? { type: 'stack', from: nowhere, to: nowhere }
      : { type: 'slide', file_index: slide.fileIndex, focal_plane_um: null, mask_step: slide.step };
  return withMasks({ kind: 'brush', place, points: [], ...words }, slices);
}

function slideOf({ place }: Pick<MarkForm, 'place'>): MaskOnSlide | undefined {
  return place.type === 'slide' ? { fileIndex: place.file_index, step: place.mask_step ?? 1 } : undefined;
}

export function findBrushMark(page: Page, uid: string | undefined): BrushMark | undefined {
  return uid === undefined ? undefined : listBrushMarks(page).find((mark) => mark.uid === uid);
}

export function chooseBrushMark(page: Page, painted: string | undefined): void {
  marksOf(page).setState({ painted });
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
  const { painted } = marksOf(page).getState();
  const { nextClass } = labelsOf(page).getState();
  const found =
    here.find(({ uid }) => uid === painted) ??
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
  const { fileIndex, frame } = parseFrameKey(key);
  const slices = new Map(mark.slices);
  for (const [one, mask] of changed) {
    if (mask === null) slices.delete(one);
    else slices.set(one, mask);
  }
  const [before, after] = [mark.slices, slices].map((of) =>
    of.size === 0 ? undefined : toForm({ ...mark, slices: of }),
  );
  recordMarks(page, [{ uid: mark.uid, before, after }], {
    fileIndex,
    frame,
    isOn: (shown) => changed.has(frameKey({ fileIndex, frame: shown })),
    isWhole: mark.slide === undefined ? undefined : true,
    isElsewhere: isElsewhere ? true : undefined,
  });
  chooseBrushMark(page, mark.uid);
  if (after !== undefined) selectMark(page, mark.uid);
}
