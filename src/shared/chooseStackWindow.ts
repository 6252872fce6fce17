import { windowOver } from './chooseVoi.ts';
import type { PercentilesResponse } from './contract/percentiles.ts';

/** One window for all images of a stack and for its planes, so that brightness means the same in each. */
export type StackWindow = {
  /** In modality units. */
  readonly center: number;
  readonly width: number;
  /** How it was chosen, in a few words. */
  readonly how: string;
  /** The same in a sentence. */
  readonly explanation: string;
  /** Whether images of the stack declare a window or a VOI LUT of their own. */
  readonly hasOwnVoi: boolean;
};

/** What is counted of one image. */
export type FrameSample = Pick<
  PercentilesResponse,
  'count' | 'percentiles' | 'has_own_voi' | 'voi_lut_function' | 'grain'
>;

/** Maximum number of images that are sampled. The responses for all of them fit into a few packets. */
const MOST_SAMPLED = 7;

/** Positions spread evenly over a stack. */
export function samplePositions(count: number): number[] {
  const sampled = Math.min(MOST_SAMPLED, count);
  return Array.from({ length: sampled }, (_, i) => Math.floor(((i + 0.5) * count) / sampled));
}

export type StackSample = {
  readonly frames: readonly FrameSample[];
  /** Number of images in the stack. */
  readonly count: number;
  /** SUV per unit of modality value; undefined if there is none. */
  readonly suvFactor: number | undefined;
};

/** Below this SUV, nothing would be visible with the usual windows. */
const FAINT_SUV = 0.5;

/**
 * From the 1st to the 99th percentile of all sampled values. PET in SUV is conventionally shown from 0 to 5, and from 0
 * to 10 where the brain or a bright tracer would be all white. Undefined if there are no values.
 */
export function chooseStackWindow({ frames, count, suvFactor }: StackSample): StackWindow | undefined {
  const hasOwnVoi = frames.some(({ has_own_voi }) => has_own_voi);
  const [first] = frames;
  const [low, high] = [poolPercentile(frames, 1), poolPercentile(frames, 99)];
  if (first === undefined || low === undefined || high === undefined) return undefined;
  const window = (from: number, to: number) => {
    const { center, width } = windowOver(
      { low: from, high: to },
      first.voi_lut_function ?? (first.grain === 'float' ? 'LINEAR_EXACT' : 'LINEAR'),
      grainOf(frames),
    );
    return { center, width, hasOwnVoi };
  };
  if (suvFactor !== undefined && high * suvFactor >= FAINT_SUV) {
    const top = high * suvFactor > 5 ? 10 : 5;
    const how = `SUV 0–${top}`;
    return { ...window(0, top / suvFactor), how, explanation: `SUV from 0 to ${top}, the usual window for PET` };
  }
  const images = frames.length === 1 ? '1 image' : `${frames.length} images`;
  const looked = frames.length === count ? `all ${count} images` : `${frames.length} of ${count} images`;
  const how = `1–99 % of ${images}`;
  if (low < high) return { ...window(low, high), how, explanation: `1st to 99th percentile of ${looked} of the stack` };
  // For example masks with few pixels set.
  const [least, most] = [poolPercentile(frames, 0), poolPercentile(frames, 100)];
  const explanation = `smallest to largest value of ${looked} of the stack`;
  return { ...window(least ?? low, most ?? high), how: `full range of ${images}`, explanation };
}

/** The grain of a frame that is finer than whole numbers, if any: only there does it matter. */
function grainOf(frames: readonly FrameSample[]): FrameSample['grain'] {
  return frames.find(({ grain }) => grain !== 'whole')?.grain ?? 'whole';
}

/** A percentile of the values of several frames together, estimated from the percentiles of each frame. */
function poolPercentile(frames: readonly FrameSample[], percent: number): number | undefined {
  const points = frames
    .flatMap(({ count, percentiles }) => percentiles.map((value) => ({ value, weight: count })))
    .toSorted((a, b) => a.value - b.value);
  const total = points.reduce((sum, { weight }) => sum + weight, 0);
  let below = 0;
  for (const { value, weight } of points) {
    below += weight;
    if (below >= (total * percent) / 100) return value;
  }
  return undefined;
}
