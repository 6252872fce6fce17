import { type Static, Type } from 'typebox';
import { nullable } from './nullable.ts';
import { RELATIONSHIPS } from './referenceTerms.ts';

export { RELATIONSHIPS, type Relationship } from './referenceTerms.ts';

/** What an object declares that it points to. Frame and segment numbers count from 1, as declared. */
export const ReferenceTarget = Type.Object({
  sop_class_uid: nullable(Type.String()),
  sop_class_name: nullable(Type.String()),
  sop_instance_uid: nullable(Type.String()),
  series_instance_uid: nullable(Type.String()),
  frame_numbers: Type.Array(Type.Integer()),
  segment_numbers: Type.Array(Type.Integer()),
});
export type ReferenceTarget = Static<typeof ReferenceTarget>;

/** A loaded file that a declaration names. Frame indices count from 0 and exist in that file. */
export const ReferenceMatch = Type.Object({
  file_index: Type.Integer(),
  path: Type.String(),
  sop_instance_uid: Type.String(),
  frame_indices: Type.Array(Type.Integer()),
});
export type ReferenceMatch = Static<typeof ReferenceMatch>;

export const Reference = Type.Object({
  relationship: Type.Enum([...RELATIONSHIPS]),
  target: ReferenceTarget,
  matches: Type.Array(ReferenceMatch),
});
export type Reference = Static<typeof Reference>;

/** An open object that points to the file, in one way. */
export const Referrer = Type.Object({
  relationship: Type.Enum([...RELATIONSHIPS]),
  file_index: Type.Integer(),
  path: Type.String(),
  sop_class_uid: Type.String(),
  sop_instance_uid: Type.String(),
  /** Of the file that is pointed to, counting from 1, ascending; none where all of it is meant. */
  frame_numbers: Type.Array(Type.Integer()),
  segment_numbers: Type.Array(Type.Integer()),
});
export type Referrer = Static<typeof Referrer>;

export const ReferencedByResponse = Type.Object({
  target_file_index: Type.Integer(),
  target_sop_instance_uid: Type.String(),
  referrers: Type.Array(Referrer),
  /** False while files are still being found or read: ask again. */
  complete: Type.Boolean(),
  /** Objects whose references could not be read. */
  unread_count: Type.Integer(),
  /** More objects than are looked at may point to the file. */
  truncated: Type.Boolean(),
});
export type ReferencedByResponse = Static<typeof ReferencedByResponse>;

export const ReferencesResponse = Type.Object({
  source_file_index: Type.Integer(),
  source_sop_instance_uid: Type.String(),
  references: Type.Array(Reference),
  /** There are more than these: the object declares, or its references name, more than an answer holds. */
  truncated: Type.Boolean(),
});
export type ReferencesResponse = Static<typeof ReferencesResponse>;
