import type { ViewStack } from '../state/stacks.ts';

/** A gap between two adjacent slices of a stack, and about how many slices would fit into it. */
export type SliceGap = {
  /** The position after which the gap is. */
  readonly after: number;
  readonly missing: number;
};

/** A distance of more than this multiple of the median distance is a gap. */
const GAP = 1.5;

/** Finds missing slices from the positions of the existing ones. Only for stacks that have a warning about it. */
export function findGaps({ frames, warnings }: ViewStack): SliceGap[] {
  if (!warnings.some(({ code }) => code === 'missing_positions')) return [];
  const steps = frames
    .slice(1)
    .map(({ positionMm }, i) => Math.abs((positionMm ?? NaN) - (frames[i]?.positionMm ?? NaN)));
  const usual = medianOf(steps.filter((step) => step > 0));
  if (usual === undefined) return [];
  return steps.flatMap((step, after) => (step > GAP * usual ? [{ after, missing: Math.round(step / usual) - 1 }] : []));
}

function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
