import type { Page } from '../../../kit/state/page.ts';
import { findVolumeProgress } from '../../../kit/state/volumeProgress.ts';
import type { StackVolume } from '../../../kit/state/volumes.ts';
import type { FrameLoader, FrameWish } from '../frameLoader.ts';

/** A picture is asked for so many times at most while its volume is loaded, because each one takes time from the loading. */
const MOST_STATES = 16;
/** Fewer slices have nothing between them. */
const LEAST_SLICES = 2;

/** A coarse picture at a position, made of the slices that are there when the loading has come so far. */
type PartialWish = (position: number, partial: number) => FrameWish;

/**
 * What to load until the exact picture comes, which waits for all slices that it needs. The returned function gives
 * undefined if the volume is loaded, or too little of it.
 */
export function createPartialWishes(
  page: Page,
  { fileIndex }: Pick<StackVolume, 'fileIndex'>,
  time: number,
  wish: PartialWish,
): (position: number, loader: FrameLoader) => FrameWish | undefined {
  /** How far the loading was when a position was last asked for. */
  const asked = new Map<number, number>();
  return (position, loader) => {
    const progress = findVolumeProgress(page, fileIndex, time);
    const { loaded, places } = progress ?? { loaded: 0, places: 0 };
    // Of packed slices, a plane waits for those that it needs.
    if (progress?.storage !== 'memory' || loaded < LEAST_SLICES || loaded >= places) {
      asked.clear();
      return undefined;
    }
    const known = asked.get(position);
    const before = known === undefined ? undefined : wish(position, known);
    // Over a thin link, a picture would never come if the next state ended its request.
    if (before !== undefined && loader.find(before) === undefined) return before;
    const state = Math.floor((MOST_STATES * loaded) / places);
    asked.set(position, state);
    return wish(position, state);
  };
}

type Wishes = { readonly whole: FrameWish; readonly coarse: FrameWish; readonly partial: FrameWish | undefined };

/** The exact picture, and what is shown until it comes; while the user moves, only what comes soon. */
export function chooseWishes(
  { whole, coarse, partial }: Wishes,
  { isPassing, loader }: { readonly isPassing: boolean; readonly loader: FrameLoader },
): readonly FrameWish[] {
  if (loader.find(whole)?.status === 'ready') return [whole];
  const isCoarseThere = loader.find(coarse)?.status === 'ready';
  // The coarse picture waits for all slices too.
  const early = isCoarseThere ? coarse : partial;
  if (isPassing && loader.find(whole) === undefined) return [early ?? coarse];
  return early === undefined ? [whole] : [whole, early];
}
