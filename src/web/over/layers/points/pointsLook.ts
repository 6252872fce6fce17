import type { PointClusters, PointShapes } from '../../../../shared/pointsPacket.ts';
import { CLUSTER_BINS, countBetween } from '../../../../shared/valueBins.ts';
import { type ColorMapName, colorTableOf } from '../../../kit/state/colorMaps.ts';

/** How measured values change the look of annotations. */
export type PointsLook = {
  /** Undefined for the colors of their parts. */
  readonly colors: ValueColors | undefined;
  /** Undefined if all are shown. */
  readonly filter: ShownInRange | undefined;
};

/** Annotations that are colored by a measured value. */
export type ValueColors = {
  /** By part, the place of the measurement among the values of an annotation. */
  readonly placeOf: ReadonlyMap<number, number>;
  /** The values of the first and the last color. */
  readonly low: number;
  readonly high: number;
  readonly colorMap: ColorMapName;
};

/** Only annotations with a value between these are shown. */
export type ShownInRange = {
  readonly placeOf: ReadonlyMap<number, number>;
  /** By part, all values of the measurement. */
  readonly rangeOf: ReadonlyMap<number, readonly [number, number]>;
  readonly low: number;
  readonly high: number;
};

/** What the client of annotations gives to their painter. */
export function findPointsLook(look: unknown): PointsLook | undefined {
  return isPointsLook(look) ? look : undefined;
}

function isPointsLook(look: unknown): look is PointsLook {
  return typeof look === 'object' && look !== null && 'colors' in look && 'filter' in look;
}

/** Whether an annotation is shown. */
export function isShown(
  filter: ShownInRange | undefined,
  { parts, values, width }: Pick<PointShapes, 'parts' | 'values' | 'width'>,
  at: number,
): boolean {
  if (filter === undefined) return true;
  const place = filter.placeOf.get(parts[at]!);
  const value = place === undefined ? NaN : values[at * width + place]!;
  return value >= filter.low && value <= filter.high;
}

/** About how many annotations of an entry of clusters are shown. */
export function countShown(filter: ShownInRange | undefined, clusters: PointClusters, entry: number): number {
  const { parts, counts, bins, width } = clusters;
  if (filter === undefined || bins.length === 0) return counts[entry]!;
  const [place, range] = [filter.placeOf.get(parts[entry]!), filter.rangeOf.get(parts[entry]!)];
  if (place === undefined || range === undefined) return 0;
  const start = (entry * width + place) * CLUSTER_BINS;
  return countBetween(bins.subarray(start, start + CLUSTER_BINS), range, [filter.low, filter.high]);
}

/** Colors of values are this many, so that annotations of one color are drawn together. */
export const VALUE_COLORS = 64;

/** The color of a value, from 0 to `VALUE_COLORS - 1`; undefined if there is none. */
export function colorPlaceOf({ low, high }: Pick<ValueColors, 'low' | 'high'>, value: number): number | undefined {
  if (Number.isNaN(value)) return undefined;
  const part = high > low ? (value - low) / (high - low) : 0.5;
  return Math.min(VALUE_COLORS - 1, Math.max(0, Math.floor(part * VALUE_COLORS)));
}

/** A color of the map as CSS. */
export function colorAt(colorMap: ColorMapName, place: number): string {
  const colors = colorTableOf(colorMap);
  const color = colors[Math.round((place / (VALUE_COLORS - 1)) * (colors.length - 1))] ?? 0;
  return `rgb(${color & 0xff} ${(color >>> 8) & 0xff} ${(color >>> 16) & 0xff})`;
}
