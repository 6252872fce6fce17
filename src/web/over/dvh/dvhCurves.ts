import type { WirePartDvh } from '../../../shared/contract/dvh.ts';

/** A cumulative histogram: the volume with at least a dose falls with the dose. */
export type DvhCurve = {
  readonly part: number;
  readonly name: string;
  readonly color: readonly [number, number, number];
  /** Whether it is in the dose object itself. */
  readonly isStored: boolean;
  /** In Gray, ascending. */
  readonly doses: readonly number[];
  /** In percent or cubic centimetres, falling. */
  readonly volumes: readonly number[];
};

export type VolumeUnit = 'percent' | 'cm3';

type NamedPart = Pick<DvhCurve, 'name' | 'color'>;

/**
 * The curves of a part. In percent, a computed one is that of the volume in the dose grid. A stored one is not converted
 * with our volume, because that would mix the two.
 */
export function listCurves(dvh: WirePartDvh, { name, color }: NamedPart, unit: VolumeUnit): DvhCurve[] {
  const { part, edges, cumulative_cm3, stored } = dvh;
  const common = { part, name, color };
  const curves: DvhCurve[] = [];
  const whole = cumulative_cm3[0] ?? 0;
  if (whole > 0) {
    const volumes = unit === 'cm3' ? cumulative_cm3 : cumulative_cm3.map((volume) => (100 * volume) / whole);
    curves.push({ ...common, isStored: false, doses: edges, volumes });
  }
  const storedWhole = stored?.cumulative[0] ?? 0;
  if (stored !== null && storedWhole > 0 && (unit === 'percent' || stored.volume_units === 'CM3')) {
    const volumes =
      unit === 'cm3' ? stored.cumulative : stored.cumulative.map((volume) => (100 * volume) / storedWhole);
    curves.push({ ...common, isStored: true, doses: stored.edges, volumes });
  }
  return curves;
}

/** The volume with at least a dose, interpolated linearly; 0 beyond the last one. */
export function volumeAt({ doses, volumes }: DvhCurve, gy: number): number {
  if (gy <= (doses[0] ?? 0)) return volumes[0] ?? 0;
  let [low, high] = [0, doses.length - 1];
  if (gy >= doses[high]!) return gy > doses[high]! ? 0 : volumes[high]!;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (doses[middle]! <= gy) low = middle;
    else high = middle;
  }
  const width = doses[high]! - doses[low]!;
  const part = width === 0 ? 1 : (gy - doses[low]!) / width;
  return volumes[low]! + part * (volumes[high]! - volumes[low]!);
}

/** The highest dose that any volume of these curves gets; 1 if there is none. */
export function highestDose(curves: readonly DvhCurve[]): number {
  let highest = 0;
  for (const { doses, volumes } of curves) {
    const last = volumes.findLastIndex((volume) => volume > 0);
    highest = Math.max(highest, doses[Math.min(last + 1, doses.length - 1)] ?? 0);
  }
  return highest > 0 ? highest : 1;
}

export function highestVolume(curves: readonly DvhCurve[]): number {
  const highest = curves.reduce((most, { volumes }) => Math.max(most, volumes[0] ?? 0), 0);
  return highest > 0 ? highest : 1;
}
