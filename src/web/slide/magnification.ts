/** What a slide is looked at with, as people say it: 40x shows a pixel of 0.25 micrometres on one of the screen. */
const MM_AT_ONCE = 0.01;

/** An objective's name and the spacing are seldom exactly alike: 40x is 0.22 to 0.28 micrometres. */
const MOST_APART = 1.5;

export type Optics = { readonly mmPerPixel: number | undefined; readonly objectivePower: number | undefined };

/**
 * The magnification at which each pixel of the largest level is one of the screen: the objective's, unless the spacing
 * says that the level was made smaller since.
 */
export function findMagnification({ mmPerPixel, objectivePower }: Optics): number | undefined {
  const bySpacing = mmPerPixel === undefined || !(mmPerPixel > 0) ? undefined : MM_AT_ONCE / mmPerPixel;
  if (objectivePower === undefined || bySpacing === undefined) return objectivePower ?? bySpacing;
  const apart = Math.max(objectivePower / bySpacing, bySpacing / objectivePower);
  return apart <= MOST_APART ? objectivePower : bySpacing;
}

/** Objectives that a microscope has. */
export const MAGNIFICATIONS: readonly number[] = [1.25, 2.5, 5, 10, 20, 40];

export function formatMagnification(magnification: number): string {
  const digits = magnification >= 20 ? 0 : magnification >= 1 ? 1 : 2;
  return `${Number(magnification.toFixed(digits))}×`;
}
