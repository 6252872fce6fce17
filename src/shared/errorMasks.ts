import type { Rgb } from './cielab.ts';
import type { SourceMasks } from './maskLayers.ts';
import type { MaskBits } from './maskRuns.ts';

/** What a sample can be, as a segment of a mask: in both, in the test alone, or in the truth alone. */
export const ERROR_SEGMENTS = { tp: 1, fp: 2, fn: 3 } as const;

/**
 * Colors of Okabe and Ito (Color Universal Design, 2008): sky blue, vermillion and yellow differ in hue and in brightness for
 * people with each kind of color blindness.
 */
export const ERROR_COLORS: Readonly<Record<keyof typeof ERROR_SEGMENTS, Rgb>> = {
  tp: [86, 180, 233],
  fp: [213, 94, 0],
  fn: [240, 228, 66],
};

/** Of the areas of errors, from 0 to 1. */
export const ERROR_OPACITY = 0.55;

export type MaskPairOnPicture = { readonly truth: MaskBits; readonly test: MaskBits };

/**
 * What the pixels of a picture are, as the labels of one mask. A pixel that pairs disagree about, such as one that has the
 * label of another part, is an error, and first of all one that is missing.
 */
export function combineMasks(
  pairs: Iterable<MaskPairOnPicture>,
  size: Pick<MaskBits, 'columns' | 'rows'>,
): SourceMasks {
  const samples = new Uint8Array(size.columns * size.rows);
  const { tp, fp, fn } = ERROR_SEGMENTS;
  for (const { truth, test } of pairs) {
    if (truth.bits.length !== samples.length || test.bits.length !== samples.length) continue;
    for (let at = 0; at < samples.length; at += 1) {
      const isTrue = truth.bits[at] === 1;
      const isTest = test.bits[at] === 1;
      if (!isTrue && !isTest) continue;
      const found = isTrue ? (isTest ? tp : fn) : fp;
      // Their numbers are in the order of their importance.
      if (found > samples[at]!) samples[at] = found;
    }
  }
  const { columns, rows } = size;
  const layer = { frame: 0, segment: undefined, kind: 'labels', maximum: undefined, top: 0, left: 0 } as const;
  return { rows, columns, layers: [{ ...layer, rows, columns, samples }], damaged: [] };
}
