/** VOI LUT Function (0028,1056). The standard's default is LINEAR. */
export type VoiShape = 'LINEAR' | 'LINEAR_EXACT' | 'SIGMOID';

/** A value-of-interest window, in modality units (Hounsfield units for CT). */
export type VoiWindow = {
  readonly center: number;
  readonly width: number;
  readonly shape: VoiShape;
};

/** Maps one modality value to a gray level, 0 to 255, not rounded. PS3.3 C.11.2.1.2 and C.11.2.1.3. */
export function applyVoiWindow(value: number, { center, width, shape }: VoiWindow): number {
  if (shape === 'SIGMOID') return 255 / (1 + Math.exp((-4 * (value - center)) / width));
  // LINEAR is not center ± width/2, which is LINEAR_EXACT. For LINEAR, that would shift narrow windows, such as those
  // of label maps, by half a value.
  return shape === 'LINEAR' ? ramp(value, center - 0.5, width - 1) : ramp(value, center, width);
}

function ramp(value: number, middle: number, span: number): number {
  if (value <= middle - span / 2) return 0;
  if (value > middle + span / 2) return 255;
  return ((value - middle) / span + 0.5) * 255;
}

/**
 * The only rounding of gray levels: to the nearest, halves up. A Uint8ClampedArray would round halves to even and a
 * Uint8Array would truncate, so server and browser would differ by one.
 */
export function toGrayLevel(level: number): number {
  return (level + 0.5) | 0;
}

/** The window that shows `low` as black and `high` as white, in the given shape. */
export function windowBetween(low: number, high: number, shape: 'LINEAR' | 'LINEAR_EXACT'): VoiWindow {
  if (low === high) return flatWindow(low, shape);
  const middle = (low + high) / 2;
  if (shape === 'LINEAR_EXACT') return { center: middle, width: high - low, shape };
  return { center: middle + 0.5, width: high - low + 1, shape };
}

/** A frame with a single value is white if the value is above 0, such as a mask that covers everything, else black. */
function flatWindow(value: number, shape: 'LINEAR' | 'LINEAR_EXACT'): VoiWindow {
  // With width 1, LINEAR is a step at center - 0.5; LINEAR_EXACT runs from center - 0.5 to center + 0.5.
  const blackCenter = value + 0.5;
  const whiteCenter = shape === 'LINEAR' ? value : value - 0.5;
  return { center: value > 0 ? whiteCenter : blackCenter, width: 1, shape };
}

/** Parses VOI LUT Function; absent or unknown terms mean LINEAR. */
export function parseVoiShape(term: string | undefined): VoiShape {
  const shape = term?.trim().toUpperCase();
  return shape === 'LINEAR_EXACT' || shape === 'SIGMOID' ? shape : 'LINEAR';
}
