/** Magnification in the usual sense: 40x shows a pixel of 0.25 micrometres on one screen pixel. */
const MM_AT_ONCE = 0.01;

/** The nominal objective and the spacing rarely agree exactly: 40x is 0.22 to 0.28 micrometres. */
const MOST_APART = 1.5;

export type Optics = { readonly mmPerPixel: number | undefined; readonly objectivePower: number | undefined };

/**
 * The magnification at which each pixel of the largest level is one screen pixel: that of the objective, unless the
 * spacing shows that the level was reduced later.
 */
export function findMagnification({ mmPerPixel, objectivePower }: Optics): number | undefined {
  const bySpacing = mmPerPixel === undefined || !(mmPerPixel > 0) ? undefined : MM_AT_ONCE / mmPerPixel;
  if (objectivePower === undefined || bySpacing === undefined) return objectivePower ?? bySpacing;
  const apart = Math.max(objectivePower / bySpacing, bySpacing / objectivePower);
  return apart <= MOST_APART ? objectivePower : bySpacing;
}

/** Objectives of a microscope. */
export const MAGNIFICATIONS: readonly number[] = [1.25, 2.5, 5, 10, 20, 40];

export function formatMagnification(magnification: number): string {
  const digits = magnification >= 20 ? 0 : magnification >= 1 ? 1 : 2;
  return `${Number(magnification.toFixed(digits))}×`;
}
