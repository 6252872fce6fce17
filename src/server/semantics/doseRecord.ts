/** What an RT Dose says of the values that it stores. */
export type DoseRecord = {
  /** Dose of one stored step; undefined where it is missing, or no number above 0. */
  readonly doseGridScaling: number | undefined;
  readonly doseUnits: string | undefined;
  readonly doseType: string | undefined;
  readonly doseSummationType: string | undefined;
  readonly frameOfReferenceUid: string | undefined;
  readonly imagePosition: readonly number[] | undefined;
  readonly imageOrientation: readonly number[] | undefined;
  readonly pixelSpacing: readonly number[] | undefined;
  readonly gridFrameOffsets: readonly number[];
};
