import { type Static, Type, nullable } from './schema.ts';
import { Code } from './semantics.ts';

const Index = Type.Integer({ minimum: 0 });

/** Parts of all layers of one label volume, and classes of marks. */
export const MOST_LABEL_PARTS = 1_000;
const MOST_LAYERS = 64;

/** The files that label volumes can be. */
export const LABEL_FORMATS = ['nii.gz', 'nii', 'nrrd', 'seg', 'npz'] as const;
export type LabelFormat = (typeof LABEL_FORMATS)[number];

/** What becomes labels, and on which grid. */
const CHOICE = {
  /** A frame of the file that is in the stack; without it, the first that is in one. */
  frame: Type.Optional(Index),
  /** Of a volume with several times, the one whose frames are labelled; that of the file by default. */
  time: Type.Optional(Index),
  /** Numbers of layers, as in /layers: segmentations, structure sets, attachments. */
  layers: Type.Optional(Type.Array(Index, { minItems: 1, maxItems: MOST_LAYERS })),
  /** Numbers of parts of the layer, of which there must be one only; without it, all parts of all layers. */
  parts: Type.Optional(Type.Array(Index, { minItems: 1, maxItems: MOST_LABEL_PARTS })),
  /** Adds the areas among the marks of the stack, one label for each class. Without layers, there are only those. */
  marks: Type.Optional(Type.Enum(['add'])),
  /** Fractions of a segmentation, and probabilities, from here on are inside. */
  threshold: Type.Optional(Type.Number({ minimum: 0.001, maximum: 1, default: 0.5 })),
  /** That of the images, or that of the layer itself, of which there must be one only. Marks lie on images. */
  grid: Type.Optional(Type.Enum(['images', 'own'], { default: 'images' })),
  /** Where parts overlap: volumes without overlaps, as the fourth axis, or a later part over an earlier one. */
  overlap: Type.Optional(Type.Enum(['volumes', 'last'], { default: 'volumes' })),
};

export const LabelPlanQuery = Type.Object(CHOICE);
export type LabelPlanQuery = Static<typeof LabelPlanQuery>;

export const LabelVolumeQuery = Type.Object({
  ...CHOICE,
  /** By default `nii.gz`. */
  format: Type.Optional(Type.Enum([...LABEL_FORMATS])),
});
export type LabelVolumeQuery = Static<typeof LabelVolumeQuery>;

/** Makes a mask of each part, on the images of the stack. */
export const LabelMarksBody = Type.Object(
  {
    frame: CHOICE.frame,
    time: CHOICE.time,
    layers: Type.Array(Index, { minItems: 1, maxItems: MOST_LAYERS }),
    parts: CHOICE.parts,
    threshold: CHOICE.threshold,
  },
  { additionalProperties: false },
);
export type LabelMarksBody = Static<typeof LabelMarksBody>;

const Color = Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer()]);

/** What a label volume will be, before it is written. */
export const LabelPlanResponse = Type.Object({
  /** Columns, rows and slices. */
  size: Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer()]),
  /** Volumes that are needed so that no two parts overlap; files have them as their fourth axis. */
  volumes: Type.Integer(),
  /** Bytes of a sample. */
  sample_bytes: Type.Integer(),
  /** Samples in more than one part. */
  overlapping_samples: Type.Integer(),
  /** Pairs of labels that have a sample in common, at most 1,000. */
  overlapping: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])),
  labels: Type.Array(
    Type.Object({
      /** In the file. That of the part if there is only one layer, else counted from 1 on. */
      value: Type.Integer(),
      /** The volume that it is in, from 0. */
      volume: Type.Integer(),
      /** The layer and its part; null for a class of marks. */
      layer: nullable(Type.Integer()),
      part: nullable(Type.Integer()),
      name: Type.String(),
      color: Color,
      category: Code,
      type: Code,
      samples: Type.Integer(),
    }),
  ),
  /** How areas become samples, for each kind of layer that is among them, in words. */
  rules: Type.Array(Type.String()),
  /** What is no part of it, with the reason. */
  left_out: Type.Array(Type.String()),
});
export type LabelPlanResponse = Static<typeof LabelPlanResponse>;
