import type { FileRecord } from '../../shared/contract/files.ts';
import type { ViewStack } from './stacks.ts';

/** In which order the frames of one file are shown, which need not be the one in which they are stored. */
export type FrameOrder = {
  /** Where in the stack each frame of the file is, from 0, in the order in which they are shown. */
  readonly positions: ReadonlyMap<number, number>;
  /** Images of the whole stack. */
  readonly imageCount: number;
  /** Of the file, in this stack or not. */
  readonly frameCount: number;
  /** Position and frame are the same number everywhere, so that one says both. */
  readonly isAsStored: boolean;
  /**
   * How many images lie at each place, such as one for each b-value or phase; 1 where places differ in that, or have
   * none. Images of one kind are so many positions apart.
   */
  readonly kinds: number;
};

const known = new WeakMap<ViewStack, Map<number, FrameOrder>>();

export function orderOf(stack: ViewStack | undefined, file: FileRecord): FrameOrder {
  if (stack === undefined) return buildOrder(undefined, file);
  const orders = known.get(stack) ?? new Map<number, FrameOrder>();
  known.set(stack, orders);
  const order = orders.get(file.index) ?? buildOrder(stack, file);
  orders.set(file.index, order);
  return order;
}

function buildOrder(stack: ViewStack | undefined, { index, frame_count: frameCount }: FileRecord): FrameOrder {
  const positions = new Map<number, number>();
  const places: (number | undefined)[] = [];
  for (const [position, { fileIndex, frame, positionMm }] of (stack?.frames ?? []).entries()) {
    if (fileIndex !== index) continue;
    positions.set(frame, position);
    places.push(positionMm);
  }
  // A file that is in no stack, such as a tile of a slide, is shown as it is stored.
  if (positions.size === 0) for (let frame = 0; frame < frameCount; frame += 1) positions.set(frame, frame);
  return {
    positions,
    imageCount: Math.max(stack?.frames.length ?? 0, positions.size),
    frameCount,
    isAsStored: [...positions].every(([frame, position]) => frame === position),
    kinds: countKinds(places),
  };
}

/** Places in millimetres, in the order in which they are shown: equal ones are neighbours. */
function countKinds(places: readonly (number | undefined)[]): number {
  const runs: number[] = [];
  let before: number | undefined;
  for (const place of places) {
    if (place === undefined) return 1;
    const isSame = before !== undefined && Math.abs(place - before) < 1e-3;
    runs.push(isSame ? (runs.pop() ?? 0) + 1 : 1);
    before = place;
  }
  const [first = 1] = runs;
  return runs.length > 1 && runs.every((run) => run === first) ? first : 1;
}

/** Where an image is: its place in the stack, and which frame of its file it is where that is another number. */
export function describePlace(stack: ViewStack, position: number, file: FileRecord | undefined): string {
  const place = `${position + 1} / ${stack.frames.length}`;
  const frame = stack.frames[position]?.frame;
  if (file === undefined || frame === undefined || file.frame_count < 2) return place;
  return orderOf(stack, file).isAsStored ? place : `${place} · frame ${frame + 1}`;
}
