/** A position in a cine sequence, and the direction of playback. */
export type CinePlace = { readonly position: number; readonly direction: 1 | -1 };

export type CineMode = 'loop' | 'sweep';

/** The next position. A sweep reverses at its ends; a loop starts again. */
export function nextPlace({ position, direction }: CinePlace, count: number, mode: CineMode): CinePlace {
  if (count < 2) return { position: 0, direction: 1 };
  const next = position + direction;
  if (next >= 0 && next < count) return { position: next, direction };
  if (mode === 'loop') return { position: (next + count) % count, direction };
  const turned = direction === 1 ? -1 : 1;
  return { position: position + turned, direction: turned };
}

/** The next of the positions that are played, if these are not all. */
export function nextKept({ position, direction }: CinePlace, kept: readonly number[], mode: CineMode): CinePlace {
  const index = Math.max(0, kept.indexOf(position));
  const next = nextPlace({ position: index, direction }, kept.length, mode);
  return { ...next, position: kept[next.position] ?? position };
}

export const DEFAULT_FPS = 10;
export const LEAST_FPS = 1;
export const MOST_FPS = 60;

/** The rate that the user chose, else the one that the file declares, else 10. */
export function rateOf(chosen: number | undefined, frameTimeMs: number | null | undefined): number {
  const declared = typeof frameTimeMs === 'number' && frameTimeMs > 0 ? 1000 / frameTimeMs : DEFAULT_FPS;
  return Math.min(MOST_FPS, Math.max(LEAST_FPS, chosen ?? declared));
}

export type PlayerTick = {
  readonly nowMs: number;
  /** Whether the frame of the last step is on screen. */
  readonly isShown: boolean;
  readonly fps: number;
};

export type Player = {
  /** Called for every animation frame. Returns true if the next step is due now. */
  readonly tick: (tick: PlayerTick) => boolean;
  /** Frames per second over the last 10 steps; undefined until it is known. */
  readonly reachedFps: () => number | undefined;
};

const MEASURED_STEPS = 10;

/**
 * Determines when the next frame is due. No frame is ever skipped: a late frame delays all that follow, and the
 * measured rate shows it.
 */
export function createPlayer(): Player {
  const steps: number[] = [];
  let dueMs: number | undefined;
  return {
    tick({ nowMs, isShown, fps }) {
      const intervalMs = 1000 / fps;
      dueMs ??= nowMs + intervalMs;
      // Ticks follow the screen refresh, so a frame due in less than half a tick is due now.
      if (!isShown || nowMs < dueMs - HALF_TICK_MS) return false;
      // If this frame is on time, the next is due one interval after this one was due. If it is late by more than
      // `LATE_MS`, the interval counts from `LATE_MS` before now.
      dueMs = Math.max(dueMs + intervalMs, nowMs + intervalMs - LATE_MS);
      steps.push(nowMs);
      if (steps.length > MEASURED_STEPS + 1) steps.shift();
      return true;
    },
    reachedFps() {
      const [first, last] = [steps[0], steps.at(-1)];
      if (first === undefined || last === undefined || steps.length < 3) return undefined;
      return ((steps.length - 1) * 1000) / (last - first);
    },
  };
}

const HALF_TICK_MS = 8;
/** Delays below this are made up for. */
const LATE_MS = 50;
