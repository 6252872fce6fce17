import { nullable, type Static, Type } from './schema.ts';

/** What a part of a narrative is. A part holds those that follow it with a greater depth. */
export const NARRATIVE_KINDS = [
  'section',
  'paragraph',
  'list',
  'ordered_list',
  'item',
  'table',
  'row',
  'heading_cell',
  'cell',
  'caption',
  'content',
  'link',
  'sub',
  'sup',
  'footnote',
  'break',
  'picture',
  'pdf',
  'missing',
  'text',
] as const;
export type NarrativeKind = (typeof NARRATIVE_KINDS)[number];

/** A file that the document holds: `/file/:index/narrative/medium/:medium`. */
export const NarrativeMedium = Type.Object({
  number: Type.Integer({ minimum: 0 }),
  /** What its bytes show. */
  media_type: Type.Enum(['image/png', 'image/jpeg', 'image/gif', 'application/pdf']),
  /** Of a picture, in pixels. */
  width: nullable(Type.Integer({ minimum: 1 })),
  height: nullable(Type.Integer({ minimum: 1 })),
});
export type NarrativeMedium = Static<typeof NarrativeMedium>;

export const NarrativeNode = Type.Object({
  /** 0 for the sections of the document. */
  depth: Type.Integer({ minimum: 0 }),
  kind: Type.Enum([...NARRATIVE_KINDS]),
  /**
   * Of a text; the title of a section; the address of a link, which is shown and not followed; the caption or
   * the name of a picture or PDF; why something is missing that the document has or names.
   */
  text: Type.String(),
  /** `bold`, `italics` and `underline`, separated by spaces; null for plain text. */
  style: nullable(Type.String()),
  /** Of a cell that covers several columns or rows; null for one. */
  span: nullable(Type.Object({ columns: Type.Integer({ minimum: 1 }), rows: Type.Integer({ minimum: 1 }) })),
  /** Of a `picture` and a `pdf`; null for all other parts. */
  medium: nullable(NarrativeMedium),
});
export type NarrativeNode = Static<typeof NarrativeNode>;

export const NarrativeResponse = Type.Object({
  file_index: Type.Integer(),
  title: nullable(Type.String()),
  /** Patient, author, time and the like, from the header of the document. */
  facts: Type.Array(Type.Object({ label: Type.String(), value: Type.String() })),
  nodes: Type.Array(NarrativeNode),
  /** Whether there is more than is listed. */
  truncated: Type.Boolean(),
});
export type NarrativeResponse = Static<typeof NarrativeResponse>;
