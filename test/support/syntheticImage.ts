/** Size of every synthetic image. The number of columns is odd and not a multiple of a block size. */
export const SYNTHETIC_ROWS = 24;
export const SYNTHETIC_COLUMNS = 33;

export type SyntheticOptions = { readonly bits: number; readonly signed?: boolean; readonly samplesPerPixel?: number };

/**
 * The image in the streams of test/fixtures/streams, color-by-pixel: a diagonal ramp over the whole range, plus an
 * eighth of the range in every other group of five columns, so that there are slopes, edges and wrapped values.
 */
export function syntheticImage({ bits, signed = false, samplesPerPixel = 1 }: SyntheticOptions): number[] {
  const range = 2 ** bits;
  const longest = SYNTHETIC_COLUMNS - 1 + 2 * (SYNTHETIC_ROWS - 1) + 17 * (samplesPerPixel - 1);
  const values: number[] = [];
  for (let y = 0; y < SYNTHETIC_ROWS; y++) {
    for (let x = 0; x < SYNTHETIC_COLUMNS; x++) {
      for (let sample = 0; sample < samplesPerPixel; sample++) {
        const ramp = Math.floor(((x + 2 * y + 17 * sample) * (range - 1)) / longest);
        const step = (Math.floor(x / 5) % 2) * (range / 8);
        const value = (ramp + step) % range;
        values.push(signed ? value - range / 2 : value);
      }
    }
  }
  return values;
}
