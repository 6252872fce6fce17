export type ScrollMotion = {
  readonly position: number;
  readonly count: number;
  readonly direction: 1 | -1;
  /** Frames per second; 0 at rest. */
  readonly speed: number;
  /** The first frame follows the last, as in a cine loop. */
  readonly wraps?: boolean;
};

const AHEAD_AT_REST = 12;
const MOST_AHEAD = 90;
const BEHIND = 6;
/** How many seconds of scrolling ahead should be loaded. */
const AHEAD_SECONDS = 1.5;

/** The positions that are probably needed next, the likeliest first: three ahead for each one behind. */
export function orderPrefetch({ position, count, direction, speed, wraps = false }: ScrollMotion): number[] {
  const ahead = Math.min(MOST_AHEAD, Math.max(AHEAD_AT_REST, Math.ceil(speed * AHEAD_SECONDS)));
  const seen = new Set([position]);
  const order: number[] = [];
  const add = (candidate: number) => {
    const at = wraps ? ((candidate % count) + count) % count : candidate;
    if (at < 0 || at >= count || seen.has(at)) return;
    seen.add(at);
    order.push(at);
  };
  for (let step = 1, back = 1; step <= ahead; step++) {
    add(position + step * direction);
    if (step % 3 === 0 && back <= BEHIND) add(position - back++ * direction);
  }
  return order;
}

export type MotionTracker = {
  /**
   * Called for every requested position; returns the current motion. For a film, `loopCount` is its number of frames:
   * from the last frame to the first is then one step forward.
   */
  readonly track: (
    position: number,
    nowMs: number,
    loopCount?: number,
  ) => { readonly direction: 1 | -1; readonly speed: number };
};

const REST_AFTER_MS = 400;

/** Tracks the direction and speed of scrolling, smoothed over the last few steps. */
export function createMotionTracker(): MotionTracker {
  let last: { position: number; atMs: number } | undefined;
  let direction: 1 | -1 = 1;
  let speed = 0;
  return {
    track(position, nowMs, loopCount) {
      if (last === undefined) {
        last = { position, atMs: nowMs };
        return { direction, speed };
      }
      const moved = position - last.position;
      const step = loopCount !== undefined && Math.abs(moved) === loopCount - 1 ? -Math.sign(moved) : moved;
      const elapsedMs = Math.max(1, nowMs - last.atMs);
      if (step === 0) {
        if (elapsedMs > REST_AFTER_MS) speed = 0;
        return { direction, speed };
      }
      const turned = step > 0 !== direction > 0;
      direction = step > 0 ? 1 : -1;
      const now = (Math.abs(step) * 1000) / elapsedMs;
      speed = turned || speed === 0 || elapsedMs > REST_AFTER_MS ? now : (speed + now) / 2;
      last = { position, atMs: nowMs };
      return { direction, speed };
    },
  };
}
