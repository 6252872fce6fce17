import { type Static, Type, nullable } from './schema.ts';
import { DOCUMENT_KINDS, DOCUMENT_VIEWS, STATUS_TONES } from './documentTerms.ts';
import { ReferenceTarget, RELATIONSHIPS, WireReferenceMatch } from './references.ts';

const Text = nullable(Type.String());

/** Completion, verification, approval and the like. */
export const WireDocumentStatus = Type.Object({
  label: Type.String(),
  value: Type.String(),
  tone: Type.Enum([...STATUS_TONES]),
});
export type WireDocumentStatus = Static<typeof WireDocumentStatus>;

export const WireDocumentFact = Type.Object({
  /** Facts of one section follow each other. */
  section: Type.String(),
  label: Type.String(),
  value: Type.String(),
  unit: Text,
  /** The path of its element, as `/tags/select` takes it; null if it was derived from several. */
  tag_path: Text,
});
export type WireDocumentFact = Static<typeof WireDocumentFact>;

export const WireDocumentTable = Type.Object({
  title: Type.String(),
  columns: Type.Array(
    Type.Object({
      label: Type.String(),
      unit: Text,
      /** Whether its cells are colors: red, green and blue of sRGB, 0 to 255, such as `255, 0, 0`. */
      is_color: Type.Boolean(),
    }),
  ),
  /** A cell for each column; null where there is no value. */
  rows: Type.Array(Type.Array(Type.Union([Type.String(), Type.Number(), Type.Null()]))),
  /** Number of rows in the object; there are more than `rows` if the table is cut. */
  row_count: Type.Integer(),
});
export type WireDocumentTable = Static<typeof WireDocumentTable>;

const FigureAxis = Type.Object({ label: Type.String(), unit: Text, values: Type.Array(Type.Number()) });

/** A drawing of a few numbers. */
export const WireDocumentFigure = Type.Union([
  Type.Object({
    type: Type.Literal('strip'),
    title: Type.String(),
    /** As `#rrggbb`, from left to right. */
    colors: Type.Array(Type.String()),
    /** The values of the first and last color. */
    from: Type.Number(),
    to: Type.Number(),
  }),
  /** `x.values` and `y.values` are of equal length. */
  Type.Object({ type: Type.Literal('curve'), title: Type.String(), x: FigureAxis, y: FigureAxis }),
  Type.Object({
    type: Type.Literal('boxes'),
    title: Type.String(),
    /** Width of the drawing over its height. */
    aspect: Type.Number(),
    /** In shares of the drawing, from its upper left corner. A frame holds others, as a screen does. */
    boxes: Type.Array(
      Type.Object({
        x: Type.Number(),
        y: Type.Number(),
        width: Type.Number(),
        height: Type.Number(),
        label: Type.String(),
        is_frame: Type.Boolean(),
      }),
    ),
  }),
]);
export type WireDocumentFigure = Static<typeof WireDocumentFigure>;

/** A place that a link leads to in an open file. */
export const WireDocumentPlace = Type.Object({
  /** Counts from 0; null for a file without frames. */
  frame_index: nullable(Type.Integer()),
  /** The layer to show over the frame. */
  layer: nullable(Type.Integer()),
  /** The place in a document, such as a content item. */
  item: Text,
  time_ms: nullable(Type.Number()),
});
export type WireDocumentPlace = Static<typeof WireDocumentPlace>;

export const WireDocumentLink = Type.Object({
  relationship: Type.Enum([...RELATIONSHIPS]),
  label: Type.String(),
  target: ReferenceTarget,
  /** The open files that it matches, without their frames: `place` has the first. */
  matches: Type.Array(WireReferenceMatch),
  /** Null if no open file matches. */
  place: nullable(WireDocumentPlace),
});
export type WireDocumentLink = Static<typeof WireDocumentLink>;

export const DocumentResponse = Type.Object({
  file_index: Type.Integer(),
  sop_instance_uid: Type.String(),
  sop_class_uid: Type.String(),
  /** Null for a private or unknown class. */
  sop_class_name: Text,
  kind: Type.Enum([...DOCUMENT_KINDS]),
  title: Type.String(),
  subtitle: Text,
  status: Type.Array(WireDocumentStatus),
  facts: Type.Array(WireDocumentFact),
  tables: Type.Array(WireDocumentTable),
  figures: Type.Array(WireDocumentFigure),
  links: Type.Array(WireDocumentLink),
  /** All of them; there are more than `links` if the list is cut. */
  link_count: Type.Integer(),
  /** Endpoints below `/file/:index` that answer for this object. */
  views: Type.Array(Type.Enum([...DOCUMENT_VIEWS])),
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
});
export type DocumentResponse = Static<typeof DocumentResponse>;
