/**
 * What the files of a stack say about the distance between their slices, besides the positions. By entry of a table;
 * undefined or NaN if nothing is said. Asked only where distances differ.
 */
export type SliceEvidence = {
  /** Slice Thickness (0018,0050). */
  readonly thicknessOf: (entry: number) => number | undefined;
  /** Spacing Between Slices (0018,0088), which is negative in some reconstructions. */
  readonly spacingOf: (entry: number) => number | undefined;
  /** Instance Number (0020,0013). */
  readonly numberOf: (entry: number) => number | undefined;
  /** One list has the positions of all slices, such as the offsets of a dose grid: none can be missing. */
  readonly isList: boolean;
};

export const NO_EVIDENCE: SliceEvidence = {
  thicknessOf: () => undefined,
  spacingOf: () => undefined,
  numberOf: () => undefined,
  isList: false,
};
