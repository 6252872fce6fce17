import { MOST_LABEL_PARTS } from './labels.ts';
import { nullable, type Static, Type } from './schema.ts';
import { Code } from './semantics.ts';

const Index = Type.Integer({ minimum: 0 });

/** Neighbours of a sample that are connected with it: those with a common face, edge or corner. */
export type Connectivity = 6 | 18 | 26;

/** The number of a layer, as in /layers, or `marks` for the areas among the marks of the stack. */
const LayerOrMarks = (example: string) => Type.String({ pattern: '^(\\d{1,7}|marks)$', examples: [example, 'marks'] });

export const DEFAULT_TOLERANCE_MM = 1;

/** How numbers are computed, whatever they are computed of. */
export const AGREEMENT_RULES = {
  /** In millimetres: surfaces that are at most so far apart agree. */
  tolerance: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000, default: DEFAULT_TOLERANCE_MM })),
  /** The part of a component, from 0 to below 1, that must be exceeded in the other mask for it to be found. */
  overlap: Type.Optional(Type.Number({ minimum: 0, maximum: 0.999_999, default: 0 })),
  /** Neighbours of a sample that belong to the same component. */
  connectivity: Type.Optional(Type.Enum(['6', '18', '26'], { default: '26' })),
  /** `overlap`: without components and distances, which take longer. */
  numbers: Type.Optional(Type.Enum(['all', 'overlap'], { default: 'all' })),
  /** Fractions of a segmentation, and probabilities, from here on are inside. */
  threshold: Type.Optional(Type.Number({ minimum: 0.001, maximum: 1, default: 0.5 })),
};

export const ComparisonQuery = Type.Object({
  truth: LayerOrMarks('4'),
  test: LayerOrMarks('5'),
  /** A file of the stack that both lie over; by default the first image that one of them lies over. */
  file: Type.Optional(Index),
  frame: Type.Optional(Index),
  time: Type.Optional(Index),
  /** That of the truth, if it has its own, or that of the images. */
  grid: Type.Optional(Type.Enum(['truth', 'images'], { default: 'truth' })),
  /** `list`: for each pair the slices in which the two differ, and the largest component that is false or missed. */
  errors: Type.Optional(Type.Enum(['none', 'list'], { default: 'none' })),
  /** Parts that are compared, the truth first; by default those with the same code, label or number. */
  pairs: Type.Optional(
    Type.Array(Type.String({ pattern: '^\\d{1,7}:\\d{1,7}$', examples: ['1:2'] }), {
      minItems: 1,
      maxItems: MOST_LABEL_PARTS,
    }),
  ),
  ...AGREEMENT_RULES,
});
export type ComparisonQuery = Static<typeof ComparisonQuery>;

export type AgreementQuery = Pick<ComparisonQuery, keyof typeof AGREEMENT_RULES>;

const ComparedLayer = Type.Object({
  /** Null for marks. */
  layer: nullable(Type.Integer()),
  title: Type.String(),
  /** `own`: its samples are those of the grid. `resampled`: the nearest of its samples. `drawn`: its outlines are filled. */
  samples: Type.Enum(['own', 'resampled', 'drawn']),
});

const ComparedPart = Type.Object({
  /** Of the layer, or the number of the class of marks, from 1 on. */
  part: Type.Integer(),
  name: Type.String(),
  /** The key of the class of marks; null for parts of layers, and for marks without a class. */
  class: nullable(Type.String()),
  type: nullable(Code),
  samples: Type.Integer(),
  volume_ml: Type.Number(),
});

const Millimetres = nullable(Type.Number());

/** How far two masks agree. Distances are null if one of them is empty. */
export const AgreementNumbers = Type.Object({
  dice: Type.Number(),
  iou: Type.Number(),
  precision: Type.Number(),
  recall: Type.Number(),
  /** That of the test minus that of the truth. */
  volume_difference_ml: Type.Number(),
  /** The largest distance of one surface from the other one. */
  hd_mm: Millimetres,
  /** The distance that 95 % of each surface do not exceed: the larger one of both directions. */
  hd95_mm: Millimetres,
  /** The mean distance over both surfaces. */
  assd_mm: Millimetres,
  mean_truth_to_test_mm: Millimetres,
  mean_test_to_truth_mm: Millimetres,
  /** The part of both surfaces that is at most the tolerance away from the other one. */
  nsd: nullable(Type.Number()),
  /** Null if they were not asked for, or if there are too many to be counted. */
  components: nullable(
    Type.Object({
      truth: Type.Integer(),
      found: Type.Integer(),
      missed: Type.Integer(),
      test: Type.Integer(),
      false: Type.Integer(),
    }),
  ),
});
export type AgreementNumbers = Static<typeof AgreementNumbers>;

/** A sample of the grid. */
const Sample = { slice: Type.Integer(), column: Type.Integer(), row: Type.Integer() };

const WrongComponent = nullable(Type.Object({ samples: Type.Integer(), ...Sample }));

/** Where two masks differ. */
export const AgreementErrors = Type.Object({
  /** Slices with a difference: samples of the test alone and of the truth alone, and a sample in the midst of them. */
  slices: Type.Array(Type.Object({ false_positive: Type.Integer(), false_negative: Type.Integer(), ...Sample })),
  /** The largest component that is false, and one of its samples. Null if there is none, or if components were not asked for. */
  largest_false: WrongComponent,
  largest_missed: WrongComponent,
});
export type AgreementErrors = Static<typeof AgreementErrors>;

const Vector = Type.Tuple([Type.Number(), Type.Number(), Type.Number()]);

export const ComparisonResponse = Type.Object({
  truth: ComparedLayer,
  test: ComparedLayer,
  /** Columns, rows and slices of the grid. */
  size: Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer()]),
  spacing_mm: Vector,
  /** Where the grid is in the patient (LPS). Null if it is that of a file that lies over no images. */
  place: nullable(
    Type.Object({
      /** As in planes: a Frame of Reference UID, or `series/` and a Series Instance UID. */
      frame_of_reference_uid: nullable(Type.String()),
      /** The center of the first sample. */
      origin_mm: Vector,
      /** From a sample to the next one in its row, in its column and in the next slice. */
      steps_mm: Type.Tuple([Vector, Vector, Vector]),
    }),
  ),
  tolerance_mm: Type.Number(),
  overlap: Type.Number(),
  connectivity: Type.Integer(),
  pairs: Type.Array(
    Type.Object({
      truth: ComparedPart,
      test: ComparedPart,
      /** Why they are compared. */
      paired_by: Type.Enum(['code', 'label', 'number', 'request']),
      samples_in_both: Type.Integer(),
      numbers: AgreementNumbers,
      /** Null if they were not asked for. */
      errors: nullable(AgreementErrors),
    }),
  ),
  /** What has no partner. */
  only_truth: Type.Array(ComparedPart),
  only_test: Type.Array(ComparedPart),
  /** How areas became samples, and what was left out, in words. */
  notes: Type.Array(Type.String()),
});
export type ComparisonResponse = Static<typeof ComparisonResponse>;
