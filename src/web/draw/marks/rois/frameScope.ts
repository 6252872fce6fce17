import type { FrameOrder } from '../../../kit/state/frameOrder.ts';
import { haveSameItems } from '../../../kit/state/haveSameItems.ts';

/**
 * Describes the frames of a ROI: the positions at which they are shown, and the frame numbers in the file where these
 * differ. Both count from 1. Without an order, only the frame numbers in the file are given.
 */
export function describeScope(frames: readonly number[], order?: FrameOrder): string {
  if (frames.length === 0) return 'all frames';
  const stored = name('frame', frames);
  if (order === undefined || order.isAsStored) return stored;
  const shown = placesOf(frames, order);
  if (shown.length === 0) return `${stored}, in another stack`;
  const count = shown.length === 1 ? ` / ${order.imageCount}` : '';
  return `${name('image', shown)}${count} · ${stored}`;
}

/** A longer list is shortened in the middle. */
const MOST_RUNS = 6;

function name(one: 'frame' | 'image', numbers: readonly number[]): string {
  const runs = toRuns(numbers).map(([first, last]) => (first === last ? `${first + 1}` : `${first + 1}–${last + 1}`));
  const text =
    runs.length > MOST_RUNS ? `${runs.slice(0, 3).join(', ')} … ${runs.at(-1)} (${numbers.length})` : runs.join(', ');
  return `${numbers.length === 1 ? one : `${one}s`} ${text}`;
}

/** Positions in the stack, from 0, both ends included. */
export type ImageRange = { readonly first: number; readonly last: number };

/**
 * The frames shown from `first` to `last`, which may be given in either order; only those of `kind` where it is given.
 */
export function framesInRange({ first, last }: ImageRange, order: FrameOrder, kind?: number): readonly number[] {
  const [low, high] = [Math.min(first, last), Math.max(first, last)];
  const frames = [...order.positions]
    .filter(([, position]) => low <= position && position <= high)
    .filter(([frame]) => kind === undefined || kindOf(frame, order) === kind)
    .map(([frame]) => frame);
  // An empty list means all frames.
  return frames.length === order.frameCount ? [] : frames.toSorted((a, b) => a - b);
}

/** Index of the frame among the images at the same position, such as 1 for the second b-value. */
export function kindOf(frame: number, order: FrameOrder): number {
  return [...order.positions.keys()].indexOf(frame) % order.kinds;
}

/**
 * The initial range when the user asks for one at this frame: all images of the same kind, such as one b-value; the
 * whole stack if the file has several stacks; otherwise the image and its neighbors.
 */
export function suggestRange(frame: number, order: FrameOrder): readonly number[] {
  const positions = [...order.positions.values()];
  const [first = 0, last = 0] = [positions[0], positions.at(-1)];
  if (order.kinds > 1) return framesInRange({ first, last }, order, kindOf(frame, order));
  if (order.positions.size < order.frameCount) return framesInRange({ first, last }, order);
  const at = order.positions.get(frame) ?? first;
  const near = { first: Math.max(first, at - 1), last: Math.min(last, at + 1) };
  // If the file has only three frames, the neighbors would cover all of them, which is not a range.
  const isAll = near.last - near.first + 1 >= order.frameCount;
  return framesInRange(isAll ? { first: at === first ? at : at - 1, last: at === first ? at + 1 : at } : near, order);
}

export type FrameScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'one'; readonly frame: number }
  | ({ readonly kind: 'range' } & ImageRange)
  /** A range limited to the images of one kind. */
  | ({ readonly kind: 'sameKind'; readonly of: number } & ImageRange)
  /** Frames with gaps between them, which a CSV can contain. */
  | { readonly kind: 'some' };

export function scopeOf(frames: readonly number[], order: FrameOrder): FrameScope {
  const [frame] = frames;
  if (frame === undefined) return { kind: 'all' };
  if (frames.length === 1) return { kind: 'one', frame };
  const shown = placesOf(frames, order);
  const range = { first: shown[0] ?? 0, last: shown.at(-1) ?? 0 };
  if (shown.length < frames.length) return { kind: 'some' };
  if (haveSameItems(framesInRange(range, order), frames)) return { kind: 'range', ...range };
  const of = kindOf(frame, order);
  return order.kinds > 1 && haveSameItems(framesInRange(range, order, of), frames)
    ? { kind: 'sameKind', of, ...range }
    : { kind: 'some' };
}

/** Positions in ascending order, of the frames that are in the stack. */
function placesOf(frames: readonly number[], { positions }: FrameOrder): readonly number[] {
  return frames.flatMap((frame) => positions.get(frame) ?? []).toSorted((a, b) => a - b);
}

/** Expects ascending numbers. */
function toRuns(frames: readonly number[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const frame of frames) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === frame - 1) run[1] = frame;
    else runs.push([frame, frame]);
  }
  return runs;
}
