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
import { type FramePlace, isOnFrame, type Measurement, type ThroughStack } from './measurement.ts';
import { findOnPlane } from './planeMarks.ts';
import { chooseScale } from '../../../../shared/pixelScale.ts';

/** The measurements on a picture, in the form that they have there. */
export function listOnFrame(page: Page, items: readonly Measurement[], place: FramePlace): readonly Measurement[] {
  return items.flatMap((item) => {
    const { type } = item.place;
    if (type === 'volume') return formOfBox(page, withSeenForm(item), place) ?? [];
    if (type === 'plane') return findOnPlane(page, item, place)?.form ?? [];
    if (type === 'stack') return formOnFrame(page, item, place) ?? [];
    return isOnFrame(item, place) ? item : [];
  });
}

/** What is being drawn or dragged, in the form that it has on a picture. */
export function draftOnFrame(page: Page, draft: Measurement, place: FramePlace): Measurement | undefined {
  // The points of one through a stack are those of the frame on which it is dragged.
  if (draft.place.type === 'stack') return isOnFrame(draft, place) ? draft : undefined;
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
    place: { type: 'stack', ...range.through, seen: { isInterpolated: outline.isInterpolated, volumeMl } },
    points: outline.points,
    scale: findFrameScale(file, range.stack.frames[position]?.plane) ?? item.scale,
    values: undefined,
  };
  forms.set(position, form);
  return form;
}

/** The form on the first frame that was drawn, for lists. */
export function listedForm(page: Page, item: Measurement): Measurement {
  return item.place.type === 'stack' ? (formOnFrame(page, item, item) ?? item) : item;
}

/** What is stored of a shape whose form on one frame has changed: that form is now drawn, not interpolated. */
export function withDrawnSlice(item: Measurement): Measurement {
  const { place, fileIndex, frame, points } = item;
  if (place.type !== 'stack') return item;
  const isHere = (slice: { readonly fileIndex: number; readonly frame: number }) =>
    slice.fileIndex === fileIndex && slice.frame === frame;
  const known = place.slices.findIndex(isHere);
  const drawn = { fileIndex, frame, points };
  const slices = known < 0 ? [...place.slices, drawn] : place.slices.with(known, drawn);
  return asStored(item, { from: place.from, to: place.to, slices });
}

export function asStored(item: Measurement, through: ThroughStack): Measurement {
  return { ...item, ...through.slices[0], place: { type: 'stack', ...through }, values: undefined };
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
  const through = throughOf(item);
  if (file === undefined || through === undefined || cut !== undefined || !canGoThrough(item)) return undefined;
  const stack = stackOf(page, file);
  const { from, to, slices } = through;
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

/** Undefined for one that is not on stored frames. */
function throughOf({ place, fileIndex, frame, points }: Measurement): ThroughStack | undefined {
  if (place.type === 'stack') return place;
  const here = { fileIndex, frame };
  return place.type === 'frame' ? { from: here, to: here, slices: [{ ...here, points }] } : undefined;
}

export function canGoThrough({ kind }: Pick<Measurement, 'kind'>): boolean {
  return traitsOf(kind).places.includes('stack');
}

export type StackRange = {
  readonly through: ThroughStack;
  readonly stack: ViewStack;
  /** Positions in the stack; `from` is not larger than `to`. */
  readonly from: number;
  readonly to: number;
  readonly placeOf: (frame: { readonly fileIndex: number; readonly frame: number }) => number | undefined;
};

/** The frames that a shape goes through; undefined if they are not in one stack, or not yet. */
export function findRange(page: Page, { place }: Measurement): StackRange | undefined {
  const file = place.type === 'stack' ? findFile(page, place.from.fileIndex) : undefined;
  if (place.type !== 'stack' || file === undefined) return undefined;
  const { from: start, to: end, slices } = place;
  const stack = stackOf(page, file);
  const places = positionsOf(stack);
  const placeOf: StackRange['placeOf'] = (frame) => places.get(keyOfFrame(frame));
  const [from, to] = [placeOf(start), placeOf(end)];
  if (from === undefined || to === undefined) return undefined;
  const through = { from: start, to: end, slices };
  return { through, stack, from: Math.min(from, to), to: Math.max(from, to), placeOf };
}

function outlineOn({ kind }: Measurement, { through, from, to, placeOf }: StackRange, position: number) {
  const slices = through.slices.flatMap((slice) => {
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
  const corners = Math.max(...range.through.slices.map(({ points }) => points.length));
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
