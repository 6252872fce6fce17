import type { RegionAxis, ScaledRegion } from './pixelScale.ts';

/** Elements of an item of the Sequence of Ultrasound Regions (0018,6011), as group and element in one number. */
const FLAGS = 0x00186016;
const MIN_X = 0x00186018;
const MIN_Y = 0x0018601a;
const MAX_X = 0x0018601c;
const MAX_Y = 0x0018601e;
const UNITS_X = 0x00186024;
const UNITS_Y = 0x00186026;
const DELTA_X = 0x0018602c;
const DELTA_Y = 0x0018602e;

export const ULTRASOUND_REGION_TAGS: readonly number[] = [
  FLAGS,
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
  return {
    // Locations are pixels, the last one included.
    from: { x: left, y: top },
    to: { x: right + 1, y: bottom + 1 },
    x: toAxis(numberAt(UNITS_X), numberAt(DELTA_X)),
    y: toAxis(numberAt(UNITS_Y), numberAt(DELTA_Y)),
    isLow: ((numberAt(FLAGS) ?? 0) & LOW_PRIORITY) !== 0,
  };
}

/** Bit of Region Flags, PS3.3 C.8.5.5.1.3: where regions overlap, the pixels are those of another one. */
const LOW_PRIORITY = 1;

/** Codes of Physical Units X and Y Direction, PS3.3 C.8.5.5.1.15. What has another unit is not measured. */
const UNITS: Readonly<Partial<Record<number, { readonly unit: RegionAxis['unit']; readonly factor: number }>>> = {
  3: { unit: 'mm', factor: 10 },
  4: { unit: 's', factor: 1 },
  5: { unit: 'Hz', factor: 1 },
  7: { unit: 'cm/s', factor: 1 },
};

/** A delta is negative where the axis runs opposite to the pixels. */
function toAxis(code: number | undefined, delta = 0): RegionAxis | undefined {
  const known = UNITS[code ?? NaN];
  const perPixel = Math.abs(delta) * (known?.factor ?? NaN);
  return known !== undefined && perPixel > 0 && Number.isFinite(perPixel) ? { unit: known.unit, perPixel } : undefined;
}
