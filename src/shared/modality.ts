import { type LookupTable, lookUp } from './lookupTable.ts';

/** Maps stored samples to modality values, such as Hounsfield units. PS3.3 C.11.1. */
export type ModalityTransform =
  | { readonly kind: 'rescale'; readonly slope: number; readonly intercept: number }
  | { readonly kind: 'lut'; readonly table: LookupTable };

export const NO_RESCALE: ModalityTransform = { kind: 'rescale', slope: 1, intercept: 0 };

/** A slope of 0 would make every image flat; devices that write it mean "none". */
export function toRescale(slope: number | undefined, intercept: number | undefined): ModalityTransform {
  if (slope === undefined || !Number.isFinite(slope) || slope === 0) return NO_RESCALE;
  return { kind: 'rescale', slope, intercept: intercept !== undefined && Number.isFinite(intercept) ? intercept : 0 };
}

export function applyModality(transform: ModalityTransform, stored: number): number {
  if (transform.kind === 'lut') return lookUp(transform.table, stored);
  return stored * transform.slope + transform.intercept;
}

/** Whether modality values can be below 0. If so, the first value of a VOI LUT is signed. PS3.3 C.11.2.1.1. */
export function isSignedModality(
  transform: ModalityTransform,
  pixelRepresentation: number,
  bitsStored: number,
): boolean {
  if (transform.kind === 'lut') return false;
  const lowest = pixelRepresentation === 1 ? -(2 ** (bitsStored - 1)) : 0;
  const highest = pixelRepresentation === 1 ? 2 ** (bitsStored - 1) - 1 : 2 ** bitsStored - 1;
  return Math.min(applyModality(transform, lowest), applyModality(transform, highest)) < 0;
}
