import type { SlidePlacement } from '../catalog/placement.ts';

export type PlacedLevel = {
  readonly placement: Pick<SlidePlacement, 'originMm' | 'orientation'> | undefined;
  readonly mmPerPixel: number | undefined;
};

export type LevelOffset = { readonly columns: number; readonly rows: number };

/**
 * Start of the first sample of a level, in samples of the largest level, from the origins of both in the slide
 * coordinate system. PS3.3 C.8.12.4.1. Undefined for levels that show the same area, as the levels of a pyramid do: an
 * origin is the centre of a sample, but many writers use its corner, so an offset of up to one sample of the level is
 * not significant.
 */
export function findLevelOffset(level: PlacedLevel, largest: PlacedLevel): LevelOffset | undefined {
  const [own, first] = [level.placement, largest.placement];
  const [origin, start] = [own?.originMm, first?.originMm];
  const { mmPerPixel } = largest;
  if (origin === undefined || start === undefined || mmPerPixel === undefined) return undefined;
  if (level.mmPerPixel === undefined || String(own?.orientation) !== String(first?.orientation)) return undefined;
  const [rowX, rowY, columnX, columnY] = own?.orientation ?? [1, 0, 0, 1];
  const [x, y] = [origin[0] - start[0], origin[1] - start[1]];
  const columns = (x * rowX + y * rowY) / mmPerPixel;
  const rows = (x * columnX + y * columnY) / mmPerPixel;
  const scale = level.mmPerPixel / mmPerPixel;
  if (Math.max(Math.abs(columns), Math.abs(rows)) <= scale) return undefined;
  // From the centres of the first samples to their corners.
  const half = (scale - 1) / 2;
  return { columns: columns - half, rows: rows - half };
}
