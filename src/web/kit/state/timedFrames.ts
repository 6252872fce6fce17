import type { FrameAddress } from '../api/frames.ts';
import type { Page } from './page.ts';
import { isVolume, type StackVolume, volumesOf } from './volumes.ts';

/** Which frame of a volume with several times a stored frame is. */
export type TimedFrame = { readonly volume: StackVolume; readonly place: number; readonly time: number };

/** Undefined if the frame is in no known volume with several times, or if several times share it. */
export function findTimedFrame(page: Page, address: FrameAddress): TimedFrame | undefined {
  for (const [, volume] of volumesOf(page).all()) {
    const at = isVolume(volume) && volume.times.length > 1 ? indexOf(volume).get(keyOf(address)) : undefined;
    if (at === undefined || at === SHARED || !isVolume(volume)) continue;
    const places = volume.table.positionsMm.length;
    return { volume, place: at % places, time: Math.floor(at / places) };
  }
  return undefined;
}

/** Whether two answers describe one volume: that of several files is asked for by the first frame of each. */
export function isSameVolume(a: StackVolume, b: StackVolume): boolean {
  if (a === b) return true;
  const [first, second] = [a.frames, b.frames];
  return (
    first.fileIndices.length === second.fileIndices.length &&
    a.times.length === b.times.length &&
    first.fileIndices[0] === second.fileIndices[0] &&
    first.frameIndices[0] === second.frameIndices[0] &&
    first.fileIndices.at(-1) === second.fileIndices.at(-1) &&
    first.frameIndices.at(-1) === second.frameIndices.at(-1)
  );
}

/** The stored frame in the same place at another time. */
export function frameAtTime({ volume, place }: TimedFrame, time: number): FrameAddress | undefined {
  const { fileIndices, frameIndices } = volume.frames;
  const at = time * volume.table.positionsMm.length + place;
  const [fileIndex, frame] = [fileIndices[at], frameIndices[at]];
  return fileIndex === undefined || frame === undefined ? undefined : { fileIndex, frame };
}

const SHARED = -1;
const indices = new WeakMap<StackVolume, ReadonlyMap<string, number>>();

function indexOf(volume: StackVolume): ReadonlyMap<string, number> {
  const known = indices.get(volume);
  if (known !== undefined) return known;
  const index = new Map<string, number>();
  const { fileIndices, frameIndices } = volume.frames;
  const places = volume.table.positionsMm.length;
  for (const [at, fileIndex] of fileIndices.entries()) {
    const key = keyOf({ fileIndex, frame: frameIndices[at] ?? NaN });
    const other = index.get(key);
    // All slices of a mosaic are in one frame, which has one time.
    const isOneTime = other !== undefined && other !== SHARED && Math.floor(other / places) === Math.floor(at / places);
    index.set(key, other === undefined ? at : isOneTime ? other : SHARED);
  }
  indices.set(volume, index);
  return index;
}

function keyOf({ fileIndex, frame }: FrameAddress): string {
  return `${fileIndex}/${frame}`;
}
