import { applyModality, type ModalityTransform } from '../modality.ts';
import type { ValueRange } from '../percentile.ts';
import type { NumberSamples } from '../sampleArray.ts';

/** Sets 1 where a sample has a value in the range, in the unit of the modality and with both ends, and 0 elsewhere. */
export function markRange(
  samples: NumberSamples,
  modality: ModalityTransform,
  { low, high }: ValueRange,
  target: Uint8Array,
): void {
  if (modality.kind === 'rescale' && modality.slope === 1 && modality.intercept === 0) {
    for (let at = 0; at < target.length; at += 1) target[at] = Number(samples[at]! >= low && samples[at]! <= high);
    return;
  }
  for (let at = 0; at < target.length; at += 1) {
    const value = applyModality(modality, samples[at]!);
    target[at] = Number(value >= low && value <= high);
  }
}

/** Standard deviations on both sides of the mean. */
const DEVIATIONS = 2.5;
/** Samples around the one that was clicked, to each side. */
const REACH = 2;

type Picture = { readonly columns: number; readonly rows: number };

/**
 * The range of what is around a place: the mean of 5 × 5 values and 2.5 of their standard deviations, with the value at the
 * place itself. This is how ITK's ConfidenceConnected begins.
 */
export function rangeAround(
  valueAt: (at: number) => number,
  { columns, rows }: Picture,
  [column, row]: readonly [column: number, row: number],
): ValueRange & { readonly deviation: number } {
  const values: number[] = [];
  for (let y = Math.max(0, row - REACH); y <= Math.min(rows - 1, row + REACH); y += 1) {
    for (let x = Math.max(0, column - REACH); x <= Math.min(columns - 1, column + REACH); x += 1) {
      const value = valueAt(y * columns + x);
      if (Number.isFinite(value)) values.push(value);
    }
  }
  const own = valueAt(row * columns + column);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const deviation = Math.sqrt(variance);
  return {
    low: Math.min(own, mean - DEVIATIONS * deviation),
    high: Math.max(own, mean + DEVIATIONS * deviation),
    deviation,
  };
}
