/** On which frames a ROI is, in words. Frames count from 1 for people. */
export function describeFrames(frames: readonly number[]): string {
  if (frames.length === 0) return 'all frames';
  const runs = toRuns(frames).map(([first, last]) => (first === last ? `${first + 1}` : `${first + 1}–${last + 1}`));
  return `${frames.length === 1 ? 'frame' : 'frames'} ${runs.join(', ')}`;
}

/** Frame indices from `first` to `last`, both included, in either order and cut to what there is. */
export function toFrameRange(first: number, last: number, frameCount: number): readonly number[] {
  const low = Math.max(0, Math.min(first, last));
  const high = Math.min(frameCount - 1, Math.max(first, last));
  // All of them is written as none: that is what all frames means.
  if (low === 0 && high === frameCount - 1) return [];
  return Array.from({ length: high - low + 1 }, (_, i) => low + i);
}

export type FrameScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'one'; readonly frame: number }
  | { readonly kind: 'range'; readonly first: number; readonly last: number }
  /** Frames with gaps between them, as a CSV may bring. */
  | { readonly kind: 'some' };

export function scopeOf(frames: readonly number[]): FrameScope {
  const [first, last] = [frames[0], frames.at(-1)];
  if (first === undefined || last === undefined) return { kind: 'all' };
  if (first === last) return { kind: 'one', frame: first };
  return last - first === frames.length - 1 ? { kind: 'range', first, last } : { kind: 'some' };
}

/** Of ascending numbers. */
function toRuns(frames: readonly number[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const frame of frames) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === frame - 1) run[1] = frame;
    else runs.push([frame, frame]);
  }
  return runs;
}
