import { INDEX_TOLERANCE, type PositionTable } from '../../../shared/positionTable.ts';
import type { NumberSamples } from '../../../shared/sampleArray.ts';
import type { VolumeBox } from './volume.ts';

/** The samples of one time of a volume. */
export type VolumeSamples = {
  readonly table: PositionTable;
  /** All slices, one after the other. */
  readonly samples: NumberSamples;
  /** Where the slice of each place is, counted in slices; by default at its own number. */
  readonly slots?: Int32Array | undefined;
  /** The part of the slices that is there, one after the other, if it is not all of them. Instead of `slots`. */
  readonly box?: VolumeBox | undefined;
  /** Only if the slices have different rescales: values are then modality values. By place. */
  readonly rescales?: { readonly slopes: Float64Array; readonly intercepts: Float64Array } | undefined;
  /** Samples from low to high, of each place, take no part; NaN for none. Undefined if no slice has padding. */
  readonly paddings?: { readonly lows: Float64Array; readonly highs: Float64Array } | undefined;
};

/** Where samples are: `bases[place] + row * stride + column`. */
export type SampleLayout = { readonly stride: number; readonly bases: Float64Array };

export function findLayout({ table, slots, box }: Pick<VolumeSamples, 'table' | 'slots' | 'box'>): SampleLayout {
  const places = table.positionsMm.length;
  if (box === undefined) {
    const size = table.rows * table.columns;
    const bases = Float64Array.from({ length: places }, (_, place) => (slots?.[place] ?? place) * size);
    return { stride: table.columns, bases };
  }
  const bases = new Float64Array(places).fill(NaN);
  for (const [at, top] of box.tops.entries()) {
    bases[box.places.first + at] = (at * box.rows - top) * box.columns - box.lefts[at]!;
  }
  return { stride: box.columns, bases };
}

/** Reads a sample that needs more than copying; undefined if none does. NaN for padding. */
export function createValueReader(
  { samples, rescales, paddings }: VolumeSamples,
  keepsPadding: boolean,
): ((at: number, place: number) => number) | undefined {
  const checked = keepsPadding && rescales === undefined ? undefined : paddings;
  if (rescales === undefined && checked === undefined) return undefined;
  return (at, place) => {
    const stored = samples[at]!;
    if (checked !== undefined && stored >= checked.lows[place]! && stored <= checked.highs[place]!) return NaN;
    return rescales === undefined ? stored : stored * rescales.slopes[place]! + rescales.intercepts[place]!;
  };
}

type Neighbours = {
  readonly at: number;
  /** The same sample in the upper slice; -1 if only one slice counts. */
  readonly above: number;
  readonly place: number;
  readonly upper: number;
  readonly right: number;
  readonly below: number;
  readonly partX: number;
  readonly partY: number;
  readonly partZ: number;
};

/** The weighted mean of the neighbours that are not padding; NaN if these have less than half of the weight. */
export function weigh(valueOf: (at: number, place: number) => number, neighbours: Neighbours): number {
  const { at, above, place, upper, right, below, partX, partY, partZ } = neighbours;
  let sum = 0;
  let weights = 0;
  for (let corner = 0; corner < 8; corner++) {
    const isRight = (corner & 1) === 1;
    const isBelow = (corner & 2) === 2;
    const isAbove = (corner & 4) === 4;
    const weight = (isRight ? partX : 1 - partX) * (isBelow ? partY : 1 - partY) * (isAbove ? partZ : 1 - partZ);
    if (weight === 0) continue;
    const value = valueOf(
      (isAbove ? above : at) + (isRight ? right : 0) + (isBelow ? below : 0),
      isAbove ? upper : place,
    );
    if (Number.isNaN(value)) continue;
    sum += weight * value;
    weights += weight;
  }
  return weights < 0.5 - INDEX_TOLERANCE ? NaN : sum / weights;
}
