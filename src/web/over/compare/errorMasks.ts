import type { SourceMasks } from '../../../shared/maskLayers.ts';
import type { MaskBits } from '../../../shared/maskRuns.ts';
import type { LayerLook } from '../../../shared/partStyle.ts';
import { ERROR_KINDS, type CompareChoice, type ErrorKind } from '../../kit/state/compareChoice.ts';

/** The number of each kind of error as a segment of a mask. */
export const ERROR_SEGMENTS: Readonly<Record<ErrorKind, number>> = { tp: 1, fp: 2, fn: 3 };

/**
 * Colors of Okabe and Ito (Color Universal Design, 2008): sky blue, vermillion and yellow differ in hue and in brightness for
 * people with each kind of color blindness.
 */
export const ERROR_COLORS: Readonly<Record<ErrorKind, readonly [number, number, number]>> = {
  tp: [86, 180, 233],
  fp: [213, 94, 0],
  fn: [240, 228, 66],
};

export const ERROR_TITLES: Readonly<Record<ErrorKind, string>> = {
  tp: 'True positive',
  fp: 'False positive',
  fn: 'False negative',
};

export type MaskPairOnPicture = { readonly truth: MaskBits; readonly test: MaskBits };

/**
 * What the pixels of a picture are, as the labels of one mask. A pixel that pairs disagree about, such as one that has the
 * label of another part, is an error, and first of all one that is missing.
 */
export function combineMasks(
  pairs: readonly MaskPairOnPicture[],
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

const OPACITY = 0.55;

const kindOf = (segment: number) => ERROR_KINDS.find((kind) => ERROR_SEGMENTS[kind] === segment);

/** How the kinds of errors are drawn as segments of a mask. */
export function lookOfErrors({ look, only }: Pick<CompareChoice, 'look' | 'only'>): LayerLook {
  return {
    colorOf: (segment) => ERROR_COLORS[kindOf(segment) ?? 'tp'],
    styleOf: (segment) => ({
      isVisible: only === undefined || kindOf(segment) === only,
      opacity: look === 'outline' ? 1 : OPACITY,
      isOutline: look === 'outline',
    }),
  };
}
