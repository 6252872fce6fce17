import type { ViewStack } from '../../kit/state/stacks.ts';

/** A gap between two adjacent slices of a stack, and about how many slices would fit into it. */
export type SliceGap = {
  /** The position after which the gap is. */
  readonly after: number;
  readonly missing: number;
};

/** A distance of more than this multiple of the median distance is a gap. */
const GAP = 1.5;

/** Finds missing slices from the positions of the existing ones. Only between images that a warning about it names. */
export function findGaps({ frames, warnings }: ViewStack): SliceGap[] {
  const named = new Set(
    warnings.flatMap(({ code, file_indices }) => (code === 'missing_positions' ? file_indices : [])),
  );
  if (named.size === 0) return [];
  const isNamed = (at: number) => named.has(frames[at]?.fileIndex ?? -1);
  const steps = frames
    .slice(1)
    .map(({ positionMm }, i) => Math.abs((positionMm ?? NaN) - (frames[i]?.positionMm ?? NaN)));
  const usual = medianOf(steps.filter((step) => step > 0));
  if (usual === undefined) return [];
  return steps.flatMap((step, after) =>
    step > GAP * usual && isNamed(after) && isNamed(after + 1)
      ? [{ after, missing: Math.round(step / usual) - 1 }]
      : [],
  );
}

function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
