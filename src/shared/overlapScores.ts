/** Samples of a part of the truth, of the part of the test that it is compared with, and of both. */
export type OverlapSamples = { readonly truth: number; readonly test: number; readonly both: number };

/** How far two masks agree, from 0 to 1. */
export type OverlapScores = {
  readonly dice: number;
  readonly iou: number;
  /** The part of the test that is in the truth. */
  readonly precision: number;
  /** The part of the truth that is in the test. */
  readonly recall: number;
};

/** Two empty masks agree, and an empty one does not agree with another one at all. */
export function scoreOverlap({ truth, test, both }: OverlapSamples): OverlapScores {
  if (truth === 0 && test === 0) return { dice: 1, iou: 1, precision: 1, recall: 1 };
  return {
    dice: (2 * both) / (truth + test),
    iou: both / (truth + test - both),
    precision: test === 0 ? 0 : both / test,
    recall: truth === 0 ? 0 : both / truth,
  };
}
