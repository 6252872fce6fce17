/** The frame (from 0) that is shown at a time of the stream. Its times are rounded, so the nearest one is meant. */
export function frameAt(seconds: number, frameTimeMs: number, frames: number): number {
  return Math.min(frames - 1, Math.max(0, Math.round((seconds * 1000) / frameTimeMs)));
}

/** A time at which a frame is shown: its middle, because its edges are rounded. */
export function timeOf(frame: number, frameTimeMs: number): number {
  return ((frame + 0.5) * frameTimeMs) / 1000;
}

/** The frame that a key leads to; undefined if the key is none of a video. */
export function frameOfKey(key: string, frame: number, frames: number): number | undefined {
  const places: Readonly<Record<string, number>> = {
    ArrowLeft: frame - 1,
    ArrowUp: frame - 1,
    ArrowRight: frame + 1,
    ArrowDown: frame + 1,
    PageUp: frame - 10,
    PageDown: frame + 10,
    Home: 0,
    End: frames - 1,
  };
  const place = places[key];
  return place === undefined ? undefined : Math.min(frames - 1, Math.max(0, place));
}
