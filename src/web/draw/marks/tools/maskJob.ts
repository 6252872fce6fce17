import type { MarkMask } from '../../../../shared/contract/marks.ts';
import type { GridSpacing } from '../../../../shared/maskTools/voxelGrid.ts';
import type { ModalityTransform } from '../../../../shared/modality.ts';
import type { ValueRange } from '../../../../shared/percentile.ts';
import type { NumberSamples } from '../../../../shared/sampleArray.ts';

/** The samples of the picture that a job looks at. They are sent once. */
export type JobSamples = { readonly samples: NumberSamples; readonly modality: ModalityTransform };

/** What is done to a mask. Radii are in the unit of the spacing. */
export type MaskWork =
  /** Adds what is joined to a sample, on one slice. `seed` counts rows before columns. */
  | ({ readonly kind: 'region'; readonly seed: number } & ValueRange)
  /** Adds the samples of a shape that have values in a range, on one slice. */
  | ({ readonly kind: 'threshold'; readonly within: MarkMask | undefined } & ValueRange)
  | { readonly kind: 'holes' }
  | { readonly kind: 'islands'; readonly least: number }
  | { readonly kind: 'largest' }
  | { readonly kind: 'grow' | 'shrink' | 'smooth'; readonly radius: number }
  | { readonly kind: 'unite' | 'subtract' | 'intersect'; readonly others: readonly (MarkMask | undefined)[] };

/** Work on the masks of some slices in order, which are undefined where there is none. */
export type MaskJob = {
  readonly columns: number;
  readonly rows: number;
  readonly spacing: GridSpacing;
  readonly masks: readonly (MarkMask | undefined)[];
  readonly work: MaskWork;
};

export type MaskResult =
  | {
      /** The slices that change, by their place, and their new masks: null for none. */
      readonly changed: readonly (readonly [slice: number, mask: MarkMask | null])[];
      /** Samples that join the mask, that leave it, and that it has then. */
      readonly added: number;
      readonly removed: number;
      readonly inside: number;
    }
  | { readonly problem: string };

export type MaskRequest = {
  readonly id: number;
  readonly job: MaskJob;
  /** Absent if they are those of the request before. */
  readonly samples?: JobSamples | undefined;
};
export type MaskAnswer = { readonly id: number; readonly result: MaskResult };
