import { isMask } from '../../../../shared/markTraits.ts';
import { type KeySlice, outlineAt } from '../../../../shared/markSlices.ts';
import { listSlices, type MarkContent, type SliceView } from '../markContent.ts';
import type { MarkFrames } from './markPlaces.ts';

/** What a mark has on one frame: an outline, or the mask of a slice. */
export type FrameOutline = {
  /** The place of the frame among the frames of the mark. */
  readonly at: number;
  readonly file: number;
  readonly frame: number;
  /** Empty for a mask. */
  readonly points: Float64Array;
  readonly mask: SliceView | undefined;
  /** Whether it was computed from the outlines before and after it. */
  readonly isInterpolated: boolean;
};

type Framed = Pick<MarkFrames, 'frames' | 'range' | 'isOrdered'> & { readonly content: MarkContent };

/** What a mark on a frame or through a stack has on each of its frames. */
export function* listFrameOutlines({ content, frames, range, isOrdered }: Framed): Generator<FrameOutline> {
  const { kind, place, points, slices } = content;
  const count = frames.length / 2;
  const addressOf = (at: number) => ({ at, file: frames[2 * at]!, frame: frames[2 * at + 1]! });
  if (place.type === 'frame') {
    yield { ...addressOf(0), points, mask: undefined, isInterpolated: false };
    return;
  }
  const drawn = new Map<string, SliceView>();
  for (const slice of listSlices(slices)) drawn.set(`${slice.fileIndex} ${slice.frame}`, slice);
  const sliceAt = (at: number) => drawn.get(`${frames[2 * at]} ${frames[2 * at + 1]}`);
  const keys: KeySlice[] = [];
  for (let at = 0; at < count; at += 1) {
    const slice = sliceAt(at);
    if (slice !== undefined) keys.push({ position: at, points: slice.points });
  }
  const [from, to] = range;
  for (let at = 0; at < count; at += 1) {
    const slice = sliceAt(at);
    if (isMask(kind)) {
      if (slice !== undefined) yield { ...addressOf(at), points: NO_POINTS, mask: slice, isInterpolated: false };
      continue;
    }
    // Without the order of the stack, there is nothing between the drawn outlines.
    const outline = isOrdered
      ? outlineAt(kind, keys, { from, to, position: at })
      : slice && { points: slice.points, isInterpolated: false };
    if (outline !== undefined) yield { ...addressOf(at), ...outline, mask: undefined };
  }
}

const NO_POINTS = new Float64Array(0);
