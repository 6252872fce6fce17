import type { DoseTerms } from '../../../shared/modalityUnit.ts';

/** What an RT Dose declares about its stored values. */
export type DoseRecord = DoseTerms & {
  /** Dose of one stored unit; undefined if missing, or not a number above 0. */
  readonly doseGridScaling: number | undefined;
  readonly doseSummationType: string | undefined;
  /** The beams of the plan that it is of; empty for all of them. */
  readonly beams: readonly number[];
  readonly frameOfReferenceUid: string | undefined;
  readonly imagePosition: readonly number[] | undefined;
  readonly imageOrientation: readonly number[] | undefined;
  readonly pixelSpacing: readonly number[] | undefined;
  readonly gridFrameOffsets: readonly number[];
};
