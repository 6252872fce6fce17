import type { WindowChoice } from '../../../../shared/chooseVoi.ts';
import {
  findPercentileRange,
  findValueRange,
  type SampledFrame,
  type ValueRange,
} from '../../../../shared/percentile.ts';
import { isFloatSamples, type NumberSamples } from '../../../../shared/sampleArray.ts';
import { windowBetween } from '../../../../shared/voiWindow.ts';
import { fetchRawFrame } from '../../../kit/api/frames.ts';
import type { GrayFrame } from '../loadedFrame.ts';
import { parseRawFrame } from '../parseRawFrame.ts';
import type { Tile } from '../../../kit/state/shownTiles.ts';

/** Windows common to all tiles of a gray picture: with a window of its own each tile would stand out as a patch. */
export type SlideWindows = {
  /** From the 1st to the 99th percentile. */
  readonly middle: WindowChoice;
  /** From the smallest to the largest value. */
  readonly full: WindowChoice;
};

/** Reads the windows from tiles of the smallest level. With several tiles, the range covers those of all tiles. */
export async function readSlideWindows(tiles: readonly Tile[], signal: AbortSignal): Promise<SlideWindows> {
  const frames = await Promise.all(tiles.map((tile) => readValues(tile, signal)));
  const values = frames.filter((frame) => frame !== undefined);
  const shape = values.some(({ samples }) => isFloatSamples(samples)) ? 'LINEAR_EXACT' : 'LINEAR';
  const toChoice = ({ low, high }: ValueRange): WindowChoice => {
    const { center, width } = windowBetween(low, high, shape);
    return { kind: 'explicit', center, width };
  };
  const full = join(values.map(findValueRange));
  const middle = join(values.map((frame) => findPercentileRange(frame, 1, 99)));
  if (full === undefined || middle === undefined) return NOTHING_READ;
  return { middle: toChoice(middle.low === middle.high ? full : middle), full: toChoice(full) };
}

const NOTHING_READ: SlideWindows = { middle: { kind: 'default' }, full: { kind: 'full_dynamic' } };

async function readValues(tile: Tile, signal: AbortSignal): Promise<SampledFrame | undefined> {
  const { headers, bytes } = await fetchRawFrame(tile, { signal });
  const frame = parseRawFrame(headers, bytes);
  return frame && { ...frame, samples: cutSamples(frame, tile) };
}

/** Removes the samples that lie beyond the edge of the slide. */
export function cutSamples(
  { samples, columns }: Pick<GrayFrame, 'samples' | 'columns'>,
  { fromX, fromY, width, height }: Pick<Tile, 'fromX' | 'fromY' | 'width' | 'height'>,
): NumberSamples {
  const kept = samples.slice(0, width * height);
  for (let row = 0; row < height; row++) {
    const from = (fromY + row) * columns + fromX;
    kept.set(samples.subarray(from, from + width), row * width);
  }
  return kept;
}

function join(ranges: readonly (ValueRange | undefined)[]): ValueRange | undefined {
  const known = ranges.filter((range) => range !== undefined);
  if (known.length === 0) return undefined;
  return { low: Math.min(...known.map(({ low }) => low)), high: Math.max(...known.map(({ high }) => high)) };
}
