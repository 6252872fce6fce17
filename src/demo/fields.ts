import { LESIONS } from './anatomy/organs.ts';

/** The five square fields on the largest lesion, which plan and dose share. */

export const ISOCENTER = LESIONS[0].center;

/** At gantry 0 a beam comes from the front; the gantry rotates toward the patient's left. */
export const GANTRY_DEGREES: readonly number[] = [205, 245, 285, 325, 20];
export const HALF_FIELD_MM = 25;
const PENUMBRA_MM = 2.6;

/** What is prescribed to the largest lesion, in Gray. */
export const PRESCRIBED_GY = 50;

/** Share of the prescribed dose that is scattered to the isocenter. */
export const SCATTERED = 0.03;

/** Near 1 inside the field, near 0 outside, 0.5 on its edge. */
export function penumbra(offAxisMm: number): number {
  const outside = (Math.abs(offAxisMm) - HALF_FIELD_MM) / PENUMBRA_MM;
  return 0.5 - (0.5 * outside) / Math.sqrt(1 + outside * outside);
}

/** Dose of all fields and fractions at the isocenter, in Gray: it is in the middle of each field and of the slab. */
export function isocenterDoseGy(): number {
  return penumbra(0) * PRESCRIBED_GY * (penumbra(0) + SCATTERED);
}
