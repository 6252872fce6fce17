import { type Static, Type, nullable } from './schema.ts';
import { WireDocumentLink } from './documents.ts';
import { Code } from './semantics.ts';

const Text = nullable(Type.String());

/** Places of items in the tree, counted from 1: the root is `1`, its second child `1.2`. PS3.3 C.17.3.2.5. */
const ITEM = String.raw`^1(\.[1-9]\d{0,5}){0,63}$`;

export const ReportQuery = Type.Object({
  item: Type.Optional(Type.String({ minLength: 1, maxLength: 512, pattern: ITEM, examples: ['1', '1.2'] })),
  /** Levels below the item. */
  depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 16 })),
  /** Children of the item that are skipped. */
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  /**
   * Only the first items of the report, in the order in which it is read, without reading the rest of it. Not with
   * `item` and `offset`.
   */
  first: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  /** Children of each item. */
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
});

const Codes = { code: nullable(Code) };
const Stored = { stored: Type.String(), iso: Text };

const ContentValue = Type.Union([
  Type.Object({ type: Type.Literal('TEXT') }),
  Type.Object({
    type: Type.Literal('NUM'),
    /** As stored; null without a measured value. */
    value: Text,
    /** Floating Point Value, which is more exact than `value`. */
    float: nullable(Type.Number()),
    rational: nullable(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 })),
    unit: nullable(Code),
    unit_label: Type.String(),
    qualifier: nullable(Code),
  }),
  Type.Object({ type: Type.Literal('CODE'), ...Codes }),
  Type.Object({ type: Type.Literal('DATE'), ...Stored }),
  Type.Object({ type: Type.Literal('TIME'), ...Stored }),
  Type.Object({ type: Type.Literal('DATETIME'), ...Stored }),
  Type.Object({ type: Type.Literal('PNAME'), stored: Type.String() }),
  Type.Object({ type: Type.Literal('UIDREF'), uid: Type.String() }),
  Type.Object({
    type: Type.Literal('IMAGE'),
    frame_numbers: Type.Array(Type.Integer()),
    segment_numbers: Type.Array(Type.Integer()),
    /** SOP Instance UID of the presentation state to apply. */
    presentation_state: Text,
  }),
  Type.Object({ type: Type.Literal('COMPOSITE') }),
  /** Multiplex group and channel of each, in turn. */
  Type.Object({ type: Type.Literal('WAVEFORM'), channels: Type.Array(Type.Integer()) }),
  Type.Object({ type: Type.Literal('SCOORD'), graphic: Type.String(), points: Type.Integer() }),
  Type.Object({
    type: Type.Literal('SCOORD3D'),
    graphic: Type.String(),
    points: Type.Integer(),
    frame_of_reference_uid: Text,
  }),
  Type.Object({ type: Type.Literal('TCOORD'), range: Type.String() }),
  Type.Object({ type: Type.Literal('CONTAINER') }),
  Type.Object({ type: Type.Literal('TABLE'), rows: Type.Integer(), columns: Type.Integer() }),
  /** A reference to another item, or a value type that is not in the standard. */
  Type.Object({ type: Type.Literal('OTHER') }),
]);

/** One item of the content tree of a report. */
export const ContentItem = Type.Cyclic(
  {
    ContentItem: Type.Object({
      item: Type.String(),
      /** `CONTAINS`, `HAS PROPERTIES` and so on; null for the root. */
      relationship: Text,
      /** The item that it stands for; it has no content of its own. */
      by_reference: Text,
      value_type: Type.String(),
      concept: nullable(Code),
      /** Whether the content is one running text. */
      continuous: nullable(Type.Boolean()),
      /** The value in one line. */
      text: Type.String(),
      value: ContentValue,
      /** What it refers to. */
      link: nullable(WireDocumentLink),
      /** Only where it changes. */
      observation: nullable(Type.Object({ observer: Text, time: Text, subject: Text })),
      /** Number of its children in the report; there may be more than `items`. */
      children: Type.Integer(),
      items: Type.Array(Type.Ref('ContentItem')),
    }),
  },
  'ContentItem',
);
export type ContentItem = Static<typeof ContentItem>;

export const ReportResponse = Type.Object({
  file_index: Type.Integer(),
  root: ContentItem,
  template: nullable(Type.Object({ id: Type.String(), resource: Text })),
  language: nullable(Code),
  /** The title of the document. */
  document_type: nullable(Code),
  /** All items of the report that were read. */
  count: Type.Integer(),
  /** Items below `root` are left out: ask for those of an item whose `children` are more than its `items`. */
  truncated: Type.Boolean(),
  /** Reading stopped at a limit, before the end of the report. */
  is_cut: Type.Boolean(),
});
export type ReportResponse = Static<typeof ReportResponse>;

export const MeasurementsQuery = Type.Object({ format: Type.Optional(Type.Enum(['json', 'csv'])) });

export const WireMeasurement = Type.Object({
  item: Type.String(),
  name: nullable(Code),
  /** As stored; null without a measured value and for qualitative evaluations. */
  value: Text,
  float: nullable(Type.Number()),
  unit_label: Type.String(),
  method: nullable(Code),
  derivation: nullable(Code),
  /** Of a qualitative evaluation, or why there is no value. */
  qualitative: nullable(Code),
});
export type WireMeasurement = Static<typeof WireMeasurement>;

export const WireMeasurementGroup = Type.Object({
  item: Type.String(),
  /** The heading of the group. */
  title: Type.String(),
  tracking_id: Text,
  tracking_uid: Text,
  finding: nullable(Code),
  site: nullable(Code),
  laterality: nullable(Code),
  session: Text,
  /** The image or segmentation that was measured. */
  target: nullable(WireDocumentLink),
  rows: Type.Array(WireMeasurement),
});
export type WireMeasurementGroup = Static<typeof WireMeasurementGroup>;

export const MeasurementsResponse = Type.Object({
  file_index: Type.Integer(),
  groups: Type.Array(WireMeasurementGroup),
  /** The measurements of all groups, each with its unit and method once. */
  columns: Type.Array(Type.String()),
  /** Number of rows of all groups. */
  count: Type.Integer(),
  is_cut: Type.Boolean(),
});
export type MeasurementsResponse = Static<typeof MeasurementsResponse>;
