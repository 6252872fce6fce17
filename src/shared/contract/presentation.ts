import { type Static, type TUnsafe, Type, nullable } from './schema.ts';
import type { WireGraphic } from '../wireGraphics.ts';
import { GRAPHIC_SHAPES, GRAPHIC_UNITS } from './graphics.ts';
import { Code } from './semantics.ts';

const Text = nullable(Type.String());
const Rgb = Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { minItems: 3, maxItems: 3 });

/** An open image. Frame indices count from 0 and exist in the file; null for all of its frames. */
export const PresentedImage = Type.Object({
  file_index: Type.Integer(),
  frame_indices: nullable(Type.Array(Type.Integer())),
});
export type PresentedImage = Static<typeof PresentedImage>;

/** The open images that a part applies to; null for all images that the object names. */
const AppliesTo = nullable(Type.Array(PresentedImage));

/** An image that is named but cannot be shown. Frame numbers count from 1; empty for all frames. */
export const MissingImage = Type.Object({
  sop_class_uid: Text,
  sop_instance_uid: Type.String(),
  series_instance_uid: Text,
  frame_numbers: Type.Array(Type.Integer()),
  reason: Type.Enum(['not_open', 'no_such_frame', 'no_image']),
});

const Window = Type.Object({ center: Type.Number(), width: Type.Number(), explanation: Text });

/** Null for the identity. */
const Modality = nullable(
  Type.Union([
    Type.Object({ kind: Type.Literal('rescale'), slope: Type.Number(), intercept: Type.Number() }),
    Type.Object({ kind: Type.Literal('lut'), explanation: Text }),
  ]),
);

export const WireStateVoi = Type.Object({
  applies_to: AppliesTo,
  windows: Type.Array(Window),
  function: Type.Enum(['LINEAR', 'LINEAR_EXACT', 'SIGMOID']),
  /** Explanations of its VOI LUTs. */
  tables: Type.Array(Text),
});

export const WireStateArea = Type.Object({
  applies_to: AppliesTo,
  mode: Type.Enum(['scale_to_fit', 'true_size', 'magnify']),
  /**
   * Left, top, right, bottom of its outer corners, in pixels of the image as it is stored; (0, 0) is the centre of the
   * first one. They may lie outside of the image.
   */
  corners: Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }),
  /** Between rows, then between columns. */
  spacing_mm: nullable(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
  /** Height of a pixel divided by its width. */
  pixel_aspect_ratio: nullable(Type.Number()),
  magnification: nullable(Type.Number()),
});
export type WireStateArea = Static<typeof WireStateArea>;

/** Rows and columns count from 1, as in the file. */
const WireShutter = Type.Union([
  Type.Object({
    shape: Type.Literal('rectangular'),
    left: Type.Number(),
    right: Type.Number(),
    upper: Type.Number(),
    lower: Type.Number(),
  }),
  Type.Object({
    shape: Type.Literal('circular'),
    center: Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }),
    radius: Type.Number(),
  }),
  Type.Object({
    shape: Type.Literal('polygonal'),
    vertices: Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
  }),
  Type.Object({ shape: Type.Literal('bitmap'), group: Type.Integer() }),
]);

/** The form of a graphic in packets of layers. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members of style and text are those of the type
const WireGraphicItem = Type.Object({
  /** The index of its layer. */
  part: Type.Integer(),
  shape: Type.Enum([...GRAPHIC_SHAPES]),
  units: Type.Enum([...GRAPHIC_UNITS]),
  points: Type.Array(Type.Number()),
  filled: Type.Boolean(),
  style: Type.Record(Type.String(), Type.Unknown()),
  text: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  how: Type.String(),
  distance_mm: Type.Number(),
}) as unknown as TUnsafe<WireGraphic>;

const WireStateGraphics = Type.Object({ applies_to: AppliesTo, items: Type.Array(WireGraphicItem) });

export const WireBlendingInput = Type.Object({
  number: nullable(Type.Integer()),
  /**
   * `UNDERLYING` or `SUPERIMPOSED`. Of an advanced state, the input whose geometry is to be displayed is `UNDERLYING`; if
   * it names none, the first one.
   */
  position: Text,
  series_instance_uid: Text,
  images: Type.Array(PresentedImage),
  missing_count: Type.Integer(),
  /** 0 to 1. Null in an advanced state, whose steps have it. */
  opacity: nullable(Type.Number()),
  modality: Modality,
  windows: Type.Array(Window),
  has_palette: Type.Boolean(),
  /**
   * The colors of superimposed images: modality transformation, VOI and palette in one. Null for others, and without a
   * palette.
   */
  scale: nullable(
    Type.Object({
      /** The stored values of the first and the last color; null for the lowest and the highest that can be stored. */
      low: nullable(Type.Number()),
      high: nullable(Type.Number()),
      /** Red, green and blue of each color in turn, as Base64. Values between two colors have the nearest one. */
      colors: Type.String(),
    }),
  ),
  /** Of an advanced state: stored values in one of these ranges are shown; null if all are. */
  ranges: nullable(
    Type.Array(
      Type.Object({
        low: nullable(Type.Number()),
        high: nullable(Type.Number()),
        /** Whether the two values themselves are shown. */
        includes_ends: Type.Boolean(),
      }),
    ),
  ),
});
export type WireBlendingInput = Static<typeof WireBlendingInput>;

const Warning = Type.Object({ code: Type.String(), message: Type.String() });

/** What a presentation state says, apart from the images that it names. */
export const WireState = Type.Object({
  kind: Type.Enum(['grayscale', 'color', 'pseudo_color', 'blending', 'other']),
  label: Text,
  description: Text,
  creator: Text,
  /** DICOM dates and times. */
  date: Text,
  time: Text,
  modality: Modality,
  /** Without one for an image, its values are shown by the identity: its own window does not apply. */
  vois: Type.Array(WireStateVoi),
  presentation_lut: nullable(Type.Enum(['identity', 'inverse', 'table'])),
  has_palette: Type.Boolean(),
  areas: Type.Array(WireStateArea),
  /** Degrees clockwise, before the flip. */
  rotation: Type.Union([Type.Literal(0), Type.Literal(90), Type.Literal(180), Type.Literal(270)]),
  flip_horizontal: Type.Boolean(),
  shutters: Type.Array(WireShutter),
  shutter_color: nullable(Rgb),
  /** From the lowest to the highest. */
  layers: Type.Array(Type.Object({ name: Type.String(), description: Text, color: nullable(Rgb) })),
  /** Overlay groups that are drawn, and their layers. */
  overlays: Type.Array(
    Type.Object({ group: Type.Integer(), layer: Type.String(), source: Type.Enum(['state', 'image']) }),
  ),
  graphics: Type.Array(WireStateGraphics),
  /** Graphics and texts that are not drawn; `warnings` say why. */
  left_out: Type.Integer(),
  blending: nullable(
    Type.Object({
      /** Of the last step of an advanced state. */
      mode: Text,
      /** Of an advanced state: what is blended with what. */
      steps: Type.Array(
        Type.Object({
          /** Numbers of inputs, or of the results of other steps. */
          inputs: Type.Array(Type.Number()),
          /** `EQUAL` or `FOREGROUND`. */
          mode: Text,
          /** Of the first input, from 0 to 1. */
          opacity: nullable(Type.Number()),
          /** The number by which other steps name the result; null for the picture. */
          result: nullable(Type.Number()),
        }),
      ),
      inputs: Type.Array(WireBlendingInput),
      /** The registration that it names, and its file if that is open. */
      registration: nullable(Type.Object({ sop_instance_uid: Type.String(), file_index: nullable(Type.Integer()) })),
      /** Why it cannot be applied, whatever is open; null if it can. */
      reason: Text,
    }),
  ),
});

/** What a key object selection says, apart from the images that it names. */
export const WireKeyObjects = Type.Object({
  title: nullable(Code),
  modifiers: Type.Array(Type.String()),
  description: Text,
  creator: Text,
  date: Text,
  time: Text,
  /** Whether the images are marked as rejected, and not as key images. */
  is_rejection: Type.Boolean(),
});

export const PresentationResponse = Type.Object({
  file_index: Type.Integer(),
  sop_instance_uid: Type.String(),
  /** Set for a presentation state. */
  state: nullable(WireState),
  /** Set for a key object selection. */
  key_objects: nullable(WireKeyObjects),
  /** The open images that it names. */
  images: Type.Array(PresentedImage),
  /** The first 1,024 of those that cannot be shown. */
  missing: Type.Array(MissingImage),
  /** All of them. */
  missing_count: Type.Integer(),
  warnings: Type.Array(Warning),
});
export type PresentationResponse = Static<typeof PresentationResponse>;
