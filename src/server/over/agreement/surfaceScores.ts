import type { SurfaceDistances } from './surfaceDistances.ts';

/** What two directions of distances come to. */
export type SurfaceScores = {
  /** The larger of both directions. */
  readonly hdMm: number;
  /** The larger one of the 95 % percentiles of both directions. */
  readonly hd95Mm: number;
  /** The mean over the areas of both surfaces. */
  readonly meanMm: number;
  /** The part of both surfaces that is at most the tolerance away from the other one. */
  readonly surfaceDice: number;
};

export function scoreSurfaces({ truthToTest, testToTruth }: SurfaceDistances): SurfaceScores {
  const area = truthToTest.areaMm2 + testToTruth.areaMm2;
  return {
    hdMm: Math.max(truthToTest.largestMm, testToTruth.largestMm),
    hd95Mm: Math.max(truthToTest.percentile95Mm, testToTruth.percentile95Mm),
    meanMm: (truthToTest.meanMm * truthToTest.areaMm2 + testToTruth.meanMm * testToTruth.areaMm2) / area,
    surfaceDice: (truthToTest.withinMm2 + testToTruth.withinMm2) / area,
  };
}
