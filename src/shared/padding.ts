/**
 * Stored samples that mean "no image here": from Pixel Padding Value to Pixel Padding Range Limit, both included.
 * PS3.3 C.7.5.1.1.2. They are shown in black and excluded from statistics.
 */
export type PixelPadding = { readonly low: number; readonly high: number };

/** The limit may be above or below the value. */
export function toPixelPadding(value: number | undefined, rangeLimit: number | undefined): PixelPadding | undefined {
  if (value === undefined) return undefined;
  const limit = rangeLimit ?? value;
  return { low: Math.min(value, limit), high: Math.max(value, limit) };
}

export function isPadding(stored: number, padding: PixelPadding | undefined): boolean {
  return padding !== undefined && stored >= padding.low && stored <= padding.high;
}
