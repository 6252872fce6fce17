import { type Static, Type, nullable } from './schema.ts';

export const ElementSearchQuery = Type.Object({
  /** Found without regard to case, anywhere in a text. */
  q: Type.String({ minLength: 1, maxLength: 256 }),
  /** In values, in keywords, names and tags of elements, or in both. */
  in: Type.Optional(Type.Enum(['value', 'keyword', 'both'], { default: 'both' })),
  /** 1: also in private elements. */
  private: Type.Optional(Type.Enum(['1'])),
});
export type ElementSearchQuery = Static<typeof ElementSearchQuery>;

/** A line of the answer: an element in which the text was found. */
export const SearchMatch = Type.Object({
  /** Its index in /files. */
  file: Type.Integer(),
  /** The path by which a column names the element. */
  path: Type.String(),
  tag: Type.String(),
  /** Empty for an element that the standard does not have. */
  keyword: Type.String(),
  vr: Type.String(),
  /** The value, or the part around what was found; null for a sequence and for bytes. */
  value: nullable(Type.String()),
});
export type SearchMatch = Static<typeof SearchMatch>;

/** The last line. Without it, the answer was broken off. */
export const SearchEnd = Type.Object({
  done: Type.Literal(true),
  /** Files that were searched. */
  files: Type.Integer(),
  matches: Type.Integer(),
  /** Whether these are all matches in all files: a file has at most 200, and all of them together about 10,000. */
  is_complete: Type.Boolean(),
});
export type SearchEnd = Static<typeof SearchEnd>;
