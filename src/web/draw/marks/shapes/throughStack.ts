import { type SliceOfMark, volumeOfSlicesMl } from '../../../../shared/markMeasures.ts';
import { traitsOf } from '../../../../shared/markTraits.ts';
import { frameDepthMm } from '../../../../shared/frameDepth.ts';
import { outlineAt } from '../../../../shared/markSlices.ts';
import { findFile, stackOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { ViewStack } from '../../../kit/state/stacks.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import { formOfBox, withSeenForm } from './boxInPatient.ts';
import { findFrameScale } from './frameScale.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import { type FramePlace, isOnFrame, isStored, type Measurement, type ThroughStack } from './measurement.ts';
import { findOnPlane } from './planeMarks.ts';
import { chooseScale } from '../../../../shared/pixelScale.ts';

/** The measurements on a picture, in the form that they have there. */
export function listOnFrame(page: Page, items: readonly Measurement[], place: FramePlace): readonly Measurement[] {
  return items.flatMap((item) => {
    if (item.box !== undefined) return formOfBox(page, withSeenForm(item), place) ?? [];
    if (item.onPlane !== undefined) return findOnPlane(page, item, place)?.form ?? [];
    if (item.through !== undefined) return formOnFrame(page, item, place) ?? [];
    return isOnFrame(item, place) ? item : [];
  });
}

/** What is being drawn or dragged, in the form that it has on a picture. */
export function draftOnFrame(page: Page, draft: Measurement, place: FramePlace): Measurement | undefined {
  if (isStored(draft) || draft.cut !== undefined) return isOnFrame(draft, place) ? draft : undefined;
  return listOnFrame(page, [draft], place)[0];
}

/** The shape on one frame of its stack, interpolated where it was not drawn; undefined if it is not on that frame. */
export function formOnFrame(
  page: Page,
  item: Measurement,
  { fileIndex, frame, cut }: FramePlace,
): Measurement | undefined {
  const file = findFile(page, fileIndex);
  const range = cut === undefined ? findRange(page, item) : undefined;
  const position = range?.placeOf({ fileIndex, frame });
  if (file === undefined || range === undefined || position === undefined) return undefined;
  const { forms, volumeMl } = knownOf(page, item, range);
  const before = forms.get(position);
  if (before !== undefined) return before;
  const outline = outlineOn(item, range, position);
  if (outline === undefined) return undefined;
  const form: Measurement = {
    ...item,
    fileIndex,
    frame,
    points: outline.points,
    isInterpolated: outline.isInterpolated ? true : undefined,
    scale: findFrameScale(file, range.stack.frames[position]?.plane) ?? item.scale,
    values: undefined,
    volumeMl,
  };
  forms.set(position, form);
  return form;
}

/** The form on the first frame that was drawn, for lists. */
export function listedForm(page: Page, item: Measurement): Measurement {
  return item.through === undefined ? item : (formOnFrame(page, item, item) ?? item);
}

/** What is stored of a shape whose form on one frame has changed: that form is now drawn, not interpolated. */
export function withDrawnSlice(item: Measurement): Measurement {
  const { through, fileIndex, frame, points } = item;
  if (through === undefined) return item;
  const isHere = (slice: { readonly fileIndex: number; readonly frame: number }) =>
    slice.fileIndex === fileIndex && slice.frame === frame;
  const known = through.slices.findIndex(isHere);
  const drawn = { fileIndex, frame, points };
  const slices = known < 0 ? [...through.slices, drawn] : through.slices.with(known, drawn);
  return asStored(item, { ...through, slices });
}

export function asStored(item: Measurement, through: ThroughStack): Measurement {
  const [first] = through.slices;
  const { isInterpolated: _, volumeMl: __, ...rest } = item;
  return { ...rest, through, ...first, values: undefined };
}

/**
 * The measurement from where it is to another frame of its stack; undefined if that is not possible, or if it is there
 * already.
 */
export function extendTo(
  page: Page,
  item: Measurement,
  { fileIndex, frame, cut }: FramePlace,
): Measurement | undefined {
  const file = findFile(page, item.fileIndex);
  const isFlat = isStored(item) && cut === undefined && item.isWhole !== true;
  if (file === undefined || !isFlat || !canGoThrough(item)) return undefined;
  const stack = stackOf(page, file);
  const { from, to, slices } = item.through ?? {
    from: item,
    to: item,
    slices: [{ fileIndex: item.fileIndex, frame: item.frame, points: item.points }],
  };
  const places = positionsOf(stack);
  const [start, end, here] = [from, to, { fileIndex, frame }].map((place) => places.get(keyOfFrame(place)));
  if (start === undefined || end === undefined || here === undefined) return undefined;
  const [low, high] = [Math.min(start, end), Math.max(start, end)];
  if (here >= low && here <= high) return undefined;
  const addressAt = (position: number) => {
    const at = stack.frames[position];
    return { fileIndex: at?.fileIndex ?? fileIndex, frame: at?.frame ?? frame };
  };
  return asStored(item, { from: addressAt(Math.min(low, here)), to: addressAt(Math.max(high, here)), slices });
}

export function canGoThrough({ kind }: Pick<Measurement, 'kind'>): boolean {
  return traitsOf(kind).places.includes('stack');
}

export type StackRange = {
  readonly stack: ViewStack;
  /** Positions in the stack; `from` is not larger than `to`. */
  readonly from: number;
  readonly to: number;
  readonly placeOf: (frame: { readonly fileIndex: number; readonly frame: number }) => number | undefined;
};

/** The frames that a shape goes through; undefined if they are not in one stack, or not yet. */
export function findRange(page: Page, { through }: Measurement): StackRange | undefined {
  const file = findFile(page, through?.from.fileIndex);
  if (through === undefined || file === undefined) return undefined;
  const stack = stackOf(page, file);
  const places = positionsOf(stack);
  const placeOf: StackRange['placeOf'] = (frame) => places.get(keyOfFrame(frame));
  const [from, to] = [placeOf(through.from), placeOf(through.to)];
  if (from === undefined || to === undefined) return undefined;
  return { stack, from: Math.min(from, to), to: Math.max(from, to), placeOf };
}

function outlineOn({ kind, through }: Measurement, { from, to, placeOf }: StackRange, position: number) {
  const slices = (through?.slices ?? []).flatMap((slice) => {
    const at = placeOf(slice);
    return at === undefined ? [] : [{ position: at, points: slice.points.flatMap(({ x, y }) => [x, y]) }];
  });
  const found = outlineAt(kind, slices, { from, to, position });
  if (found === undefined) return undefined;
  const points: Point[] = [];
  for (let i = 0; i < found.points.length; i += 2) points.push({ x: found.points[i]!, y: found.points[i + 1]! });
  return { points, isInterpolated: found.isInterpolated };
}

/** Interpolating more than this would take longer than a user waits for a number. */
const MOST_STEPS = 50_000_000;

function volumeOf(page: Page, item: Measurement, range: StackRange): number | undefined {
  const corners = Math.max(...(item.through?.slices ?? []).map(({ points }) => points.length));
  const isLong = corners ** 2 * (range.to - range.from + 1) > MOST_STEPS;
  return isLong ? undefined : volumeOfSlicesMl(listSliceAreas(page, item, range));
}

function* listSliceAreas(page: Page, item: Measurement, range: StackRange): Generator<SliceOfMark> {
  const { stack, from, to } = range;
  const { quantitiesOf } = MEASURE_KINDS[item.kind];
  const positionsMm = stack.frames.map(({ positionMm }) => positionMm ?? NaN);
  for (let position = from; position <= to; position += 1) {
    const frame = stack.frames[position];
    const file = findFile(page, frame?.fileIndex);
    const points = outlineOn(item, range, position)?.points;
    const scale = file && findFrameScale(file, frame?.plane);
    const areas = scale && points && quantitiesOf?.(points, chooseScale(scale, points));
    yield { area: areas?.find(({ name }) => name === 'area'), depthMm: frameDepthMm(positionsMm, position) };
  }
}

type KnownForms = {
  readonly stack: ViewStack;
  /** By position. */
  readonly forms: Map<number, Measurement>;
  readonly volumeMl: number | undefined;
};

const knownForms = new WeakMap<Measurement, KnownForms>();

/** The forms of a measurement that were made, so that the same one stays the same object. */
function knownOf(page: Page, item: Measurement, range: StackRange): KnownForms {
  const before = knownForms.get(item);
  if (before?.stack === range.stack) return before;
  const known: KnownForms = { stack: range.stack, forms: new Map(), volumeMl: volumeOf(page, item, range) };
  knownForms.set(item, known);
  return known;
}

const knownPositions = new WeakMap<ViewStack, ReadonlyMap<string, number>>();

function positionsOf(stack: ViewStack): ReadonlyMap<string, number> {
  const known = knownPositions.get(stack);
  const positions = known ?? new Map(stack.frames.map((frame, position) => [keyOfFrame(frame), position]));
  knownPositions.set(stack, positions);
  return positions;
}

function keyOfFrame({ fileIndex, frame }: { readonly fileIndex: number; readonly frame: number }): string {
  return `${fileIndex}/${frame}`;
}
