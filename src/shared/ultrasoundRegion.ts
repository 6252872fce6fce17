import type { ScaledRegion } from './pixelScale.ts';

/** Elements of an item of the Sequence of Ultrasound Regions (0018,6011), as group and element in one number. */
const MIN_X = 0x00186018;
const MIN_Y = 0x0018601a;
const MAX_X = 0x0018601c;
const MAX_Y = 0x0018601e;
const UNITS_X = 0x00186024;
const UNITS_Y = 0x00186026;
const DELTA_X = 0x0018602c;
const DELTA_Y = 0x0018602e;

export const ULTRASOUND_REGION_TAGS: readonly number[] = [
  MIN_X,
  MIN_Y,
  MAX_X,
  MAX_Y,
  UNITS_X,
  UNITS_Y,
  DELTA_X,
  DELTA_Y,
];

/** Further regions are not looked at. */
export const MOST_ULTRASOUND_REGIONS = 256;

/** Whether the image may have regions, so that its header must be read before sizes are known. */
export function mayHaveRegions(modality: string): boolean {
  return modality === 'US' || modality === 'IVUS';
}

/** An item of the sequence, PS3.3 C.8.5.5. Undefined if it does not say where it is. */
export function toScaledRegion(numberAt: (tag: number) => number | undefined): ScaledRegion | undefined {
  const [left, top, right, bottom] = [MIN_X, MIN_Y, MAX_X, MAX_Y].map(numberAt);
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) return undefined;
  const isLength = numberAt(UNITS_X) === CENTIMETRES && numberAt(UNITS_Y) === CENTIMETRES;
  const [rows, columns] = [toMm(numberAt(DELTA_Y)), toMm(numberAt(DELTA_X))];
  const isKnown = isLength && rows > 0 && columns > 0 && Number.isFinite(rows * columns);
  return {
    // Locations are pixels, the last one included.
    from: { x: left, y: top },
    to: { x: right + 1, y: bottom + 1 },
    spacingMm: isKnown ? [rows, columns] : undefined,
  };
}

/** Code of Physical Units X and Y Direction. */
const CENTIMETRES = 3;

/** A delta is negative where the axis runs opposite to the pixels. */
function toMm(delta: number | undefined): number {
  return Math.abs(delta ?? 0) * 10;
}
