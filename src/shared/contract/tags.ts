import { type Static, Type } from './schema.ts';

/** One data element as the tag tree shows it. The `items` of a sequence contain nodes again. */
export const TagNode = Type.Cyclic(
  {
    TagNode: Type.Object({
      tag: Type.String({ pattern: '^\\([0-9A-F]{4},[0-9A-F]{4}\\)$' }),
      /** As written in the file. */
      vr: Type.String(),
      /** The VR from the dictionary that was used to read the value, if the file writes UN for a public element. */
      read_as: Type.Optional(Type.String()),
      keyword: Type.String(),
      name: Type.String(),
      creator: Type.Optional(Type.String()),
      value: Type.Union([
        Type.Object({ type: Type.Literal('string'), value: Type.String() }),
        Type.Object({ type: Type.Literal('number'), value: Type.Number() }),
        Type.Object({ type: Type.Literal('numbers'), value: Type.Array(Type.Number()) }),
        Type.Object({ type: Type.Literal('strings'), value: Type.Array(Type.String()) }),
        Type.Object({ type: Type.Literal('binary'), length: Type.Integer(), fragments: Type.Optional(Type.Integer()) }),
        Type.Object({ type: Type.Literal('sequence'), items: Type.Array(Type.Array(Type.Ref('TagNode'))) }),
        Type.Object({ type: Type.Literal('empty') }),
        /** `text`: the content found instead of a number, as far as it can be read. */
        Type.Object({ type: Type.Literal('error'), message: Type.String(), text: Type.Optional(Type.String()) }),
      ]),
      truncated: Type.Optional(Type.Literal(true)),
      /** With `truncated`: total number of values, characters or items. */
      total: Type.Optional(Type.Integer()),
    }),
  },
  'TagNode',
);
export type TagNode = Static<typeof TagNode>;

export const TagNodes = Type.Array(TagNode);

export const TagTreeQuery = Type.Object({
  depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 8 })),
  items: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
});

const TAG = String.raw`(\([\dA-Fa-f]{4},[\dA-Fa-f]{4}\)|[\dA-Fa-f]{4},[\dA-Fa-f]{4})`;

export const TagSelectQuery = Type.Object({
  /** Tags separated by item numbers. */
  path: Type.String({ minLength: 1, pattern: String.raw`^${TAG}(/\d{1,9}/${TAG})*$` }),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
});

export const TagTableQuery = Type.Object({
  /** One row for each element of the file, or one row for each file of its series. */
  of: Type.Optional(Type.Enum(['file', 'series'], { default: 'file' })),
});
