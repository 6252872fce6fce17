/** The frame (from 0) whose time is nearest. `times` ascend; decoders round them to microseconds. */
export function findFrameAt(times: Float64Array, seconds: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < seconds) low = middle + 1;
    else high = middle;
  }
  return low > 0 && seconds - times[low - 1]! <= times[low]! - seconds ? low - 1 : low;
}

/** Frames that are decoded and thrown away rather than starting again at a key frame. */
const MOST_PASSED = 24;

/**
 * The wanted frame to decode next, if decoding goes on at frame `next`: one on which the user waits before all others,
 * and of several the first one ahead, because going back begins again at a key frame.
 */
export function chooseFrame(
  wanted: Iterable<{ readonly frame: number; readonly isUrgent: boolean }>,
  next: number,
): number | undefined {
  let best: number | undefined;
  let bestCost = Infinity;
  for (const { frame, isUrgent } of wanted) {
    const ahead = frame - next;
    const cost = (isUrgent ? 0 : 1e9) + (ahead >= 0 ? ahead : 1e6 - ahead);
    if (cost < bestCost) [best, bestCost] = [frame, cost];
  }
  return best;
}

/** Whether decoding reaches a frame sooner if it goes on than if it begins again. */
export function isReachedByGoingOn(frame: number, next: number): boolean {
  return frame >= next && frame - next <= MOST_PASSED;
}
