import { ERROR_COLORS, ERROR_OPACITY, ERROR_SEGMENTS } from '../../../shared/errorMasks.ts';
import type { LayerLook } from '../../../shared/partStyle.ts';
import { ERROR_KINDS, type CompareChoice, type ErrorKind } from '../../kit/state/compareChoice.ts';

export const ERROR_TITLES: Readonly<Record<ErrorKind, string>> = {
  tp: 'True positive',
  fp: 'False positive',
  fn: 'False negative',
};

const kindOf = (segment: number) => ERROR_KINDS.find((kind) => ERROR_SEGMENTS[kind] === segment);

/** How the kinds of errors are drawn as segments of a mask. */
export function lookOfErrors({ look, only }: Pick<CompareChoice, 'look' | 'only'>): LayerLook {
  return {
    colorOf: (segment) => ERROR_COLORS[kindOf(segment) ?? 'tp'],
    styleOf: (segment) => ({
      isVisible: only === undefined || kindOf(segment) === only,
      opacity: look === 'outline' ? 1 : ERROR_OPACITY,
      isOutline: look === 'outline',
    }),
  };
}
