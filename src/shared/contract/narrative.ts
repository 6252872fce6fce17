import { nullable } from './nullable.ts';
import { type Static, Type } from './schema.ts';

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
  'text',
] as const;
export type NarrativeKind = (typeof NARRATIVE_KINDS)[number];

export const NarrativeNode = Type.Object({
  /** 0 for the sections of the document. */
  depth: Type.Integer({ minimum: 0 }),
  kind: Type.Enum([...NARRATIVE_KINDS]),
  /** Of a text; the title of a section; the address of a link, which is shown and not followed. */
  text: Type.String(),
  /** `bold`, `italics` and `underline`, separated by spaces; null for plain text. */
  style: nullable(Type.String()),
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
