import type { FileRecord } from '../../../shared/contract/files.ts';
import type { ViewStack } from './stacks.ts';

/** The display order of the frames of one file, which may differ from the stored order. */
export type FrameOrder = {
  /** Position in the stack, from 0, of each frame of the file, in display order. */
  readonly positions: ReadonlyMap<number, number>;
  /** Number of images in the whole stack. */
  readonly imageCount: number;
  /** Number of frames in the file, whether in this stack or not. */
  readonly frameCount: number;
  /** Position and frame are the same number for every frame, so one number describes both. */
  readonly isAsStored: boolean;
  /**
   * Number of images at each location, such as one for each b-value or phase; 1 if that number varies or the locations
   * are unknown. Images of the same kind are this many positions apart.
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

function buildOrder(stack: ViewStack | undefined, { index, frame_count, object_kind }: FileRecord): FrameOrder {
  const positions = new Map<number, number>();
  const places: (number | undefined)[] = [];
  for (const [position, { fileIndex, frame, positionMm }] of (stack?.frames ?? []).entries()) {
    if (fileIndex !== index) continue;
    positions.set(frame, position);
    places.push(positionMm);
  }
  // A file that is in no stack, such as a tile of a slide, is shown in stored order.
  if (positions.size === 0) for (let frame = 0; frame < frame_count; frame += 1) positions.set(frame, frame);
  return {
    positions,
    imageCount: Math.max(stack?.frames.length ?? 0, positions.size),
    // What a video declares is not checked; its stack has all frames of its stream.
    frameCount: object_kind === 'video' ? positions.size : frame_count,
    isAsStored: [...positions].every(([frame, position]) => frame === position),
    kinds: countKinds(places),
  };
}

/** `places` are in millimetres and in display order, so equal ones are adjacent. */
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

/** Describes the position of an image in its stack, with its frame number if the two differ. */
export function describePlace(stack: ViewStack, position: number, file: FileRecord | undefined): string {
  const place = `${position + 1} / ${stack.frames.length}`;
  const frame = stack.frames[position]?.frame;
  if (file === undefined || frame === undefined || file.frame_count < 2) return place;
  return orderOf(stack, file).isAsStored ? place : `${place} · frame ${frame + 1}`;
}
