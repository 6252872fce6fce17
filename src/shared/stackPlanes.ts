import type { PlaneRun } from './contract/series.ts';
import type { ImagePlane, PlaneOrientation, Vector3 } from './geometry.ts';

/** Position of a frame of a stack along the normal, from `/series`; null if it has none. */
export type PositionOf = (virtualIndex: number) => number | null | undefined;

/** The run that contains a frame; undefined if its plane is unknown. `runs` are in stack order. */
export function findPlaneRun(runs: readonly PlaneRun[], virtualIndex: number): PlaneRun | undefined {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { first, count } = runs[middle]!;
    if (virtualIndex < first) high = middle;
    else if (virtualIndex >= first + count) low = middle + 1;
    else return runs[middle];
  }
  return undefined;
}

export function orientationOfRun({ orientation }: PlaneRun): PlaneOrientation | undefined {
  if (orientation === null) return undefined;
  const [a = NaN, b = NaN, c = NaN, d = NaN, e = NaN, f = NaN] = orientation;
  return { rowDirection: [a, b, c], columnDirection: [d, e, f] };
}

/** Centre of the first sample of a frame in a run. */
export function originInRun(run: PlaneRun, virtualIndex: number, positionOf: PositionOf): Vector3 | undefined {
  const { origins_mm: origins, origin_step: step, first } = run;
  if (origins === null) return undefined;
  const at = step === null ? 3 * (virtualIndex - first) : 0;
  const [x = NaN, y = NaN, z = NaN] = origins.slice(at, at + 3);
  if (step === null) return [x, y, z];
  const alongMm = (positionOf(virtualIndex) ?? 0) - (positionOf(first) ?? 0);
  return [x + step[0] * alongMm, y + step[1] * alongMm, z + step[2] * alongMm];
}

/** The plane of a frame in the patient; undefined if its position, its orientation or its pixel spacing is unknown. */
export function planeInRun(run: PlaneRun, virtualIndex: number, positionOf: PositionOf): ImagePlane | undefined {
  const orientation = orientationOfRun(run);
  const position = originInRun(run, virtualIndex, positionOf);
  const spacing = run.pixel_spacing_source === 'pixel_spacing' ? run.pixel_spacing_mm : null;
  if (orientation === undefined || position === undefined || spacing === null) return undefined;
  return { ...orientation, position, rowSpacingMm: spacing[0], columnSpacingMm: spacing[1] };
}
