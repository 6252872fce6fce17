/** Writers round positions to hundredths of a millimetre, which changes the distance of two by up to as much. */
const ROUNDED_MM = 0.01;
/** Differences up to this part of a distance are rounding, too. */
const ROUNDED = 0.01;
/** Differences of numbers that are not exact in binary, such as 0.71 - 0.7. */
const NOT_EXACT = 1e-6;

/** Distances of slices that differ from a distance by no more than this are equal to it. */
export function roundingOf(spacingMm: number): number {
  return Math.max(ROUNDED_MM, ROUNDED * Math.abs(spacingMm)) * (1 + NOT_EXACT);
}

/**
 * The distance between neighbours of evenly spaced positions: the mean, because positions are rounded in files. Undefined
 * if a distance differs from it by more than rounding. `steps` is how many distances lie between neighbours if positions
 * may be left out.
 */
export function evenSpacingOf(positionsMm: ArrayLike<number>, steps?: ArrayLike<number>): number | undefined {
  const last = positionsMm.length - 1;
  if (last < 1) return undefined;
  let count = 0;
  for (let at = 0; at < last; at += 1) count += steps?.[at] ?? 1;
  const spacingMm = (positionsMm[last]! - positionsMm[0]!) / count;
  const mostMm = roundingOf(spacingMm);
  for (let at = 0; at < last; at += 1) {
    const distanceMm = positionsMm[at + 1]! - positionsMm[at]!;
    // Negated, so that what is no number is not even.
    if (!(Math.abs(distanceMm - (steps?.[at] ?? 1) * spacingMm) <= mostMm)) return undefined;
  }
  return spacingMm;
}
