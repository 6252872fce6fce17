import { type ColorMapName, colorTableOf } from '../../state/colorMaps.ts';

/** Annotations that are colored by a measured value. */
export type PointsLook = {
  /** By part, the place of the measurement among the values of an annotation. */
  readonly placeOf: ReadonlyMap<number, number>;
  /** The values of the first and the last color. */
  readonly low: number;
  readonly high: number;
  readonly colorMap: ColorMapName;
};

/** What the client of annotations gives to their painter. */
export function isPointsLook(look: unknown): look is PointsLook {
  return typeof look === 'object' && look !== null && 'placeOf' in look;
}

/** Colors of values are this many, so that annotations of one color are drawn together. */
export const VALUE_COLORS = 64;

/** The color of a value, from 0 to `VALUE_COLORS - 1`; undefined if there is none. */
export function colorPlaceOf({ low, high }: Pick<PointsLook, 'low' | 'high'>, value: number): number | undefined {
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
