import { type Static, Type, nullable } from './schema.ts';
import { RELATIONSHIPS } from './referenceTerms.ts';

export { RELATIONSHIPS, type Relationship } from './referenceTerms.ts';

/** What an object refers to. Frame and segment numbers count from 1, as declared. */
export const ReferenceTarget = Type.Object({
  sop_class_uid: nullable(Type.String()),
  sop_class_name: nullable(Type.String()),
  sop_instance_uid: nullable(Type.String()),
  series_instance_uid: nullable(Type.String()),
  frame_numbers: Type.Array(Type.Integer()),
  segment_numbers: Type.Array(Type.Integer()),
});
export type ReferenceTarget = Static<typeof ReferenceTarget>;

/** A loaded file that matches a declared reference. Frame indices count from 0 and exist in that file. */
export const WireReferenceMatch = Type.Object({
  file_index: Type.Integer(),
  path: Type.String(),
  sop_instance_uid: Type.String(),
  frame_indices: Type.Array(Type.Integer()),
});
export type WireReferenceMatch = Static<typeof WireReferenceMatch>;

export const Reference = Type.Object({
  relationship: Type.Enum([...RELATIONSHIPS]),
  target: ReferenceTarget,
  matches: Type.Array(WireReferenceMatch),
});
export type Reference = Static<typeof Reference>;

/** An open object that refers to the file, with one kind of relationship. */
export const WireReferrer = Type.Object({
  relationship: Type.Enum([...RELATIONSHIPS]),
  file_index: Type.Integer(),
  path: Type.String(),
  sop_class_uid: Type.String(),
  sop_instance_uid: Type.String(),
  /** Frame numbers in the file referred to, from 1, ascending; empty if the whole file is meant. */
  frame_numbers: Type.Array(Type.Integer()),
  segment_numbers: Type.Array(Type.Integer()),
});
export type WireReferrer = Static<typeof WireReferrer>;

export const ReferencedByResponse = Type.Object({
  target_file_index: Type.Integer(),
  target_sop_instance_uid: Type.String(),
  referrers: Type.Array(WireReferrer),
  /** False while files are still being found or read: the client should ask again. */
  complete: Type.Boolean(),
  /** Objects whose references could not be read. */
  unread_count: Type.Integer(),
  /** True if there are more objects than were examined, so that others may refer to the file. */
  truncated: Type.Boolean(),
});
export type ReferencedByResponse = Static<typeof ReferencedByResponse>;

export const ReferencesResponse = Type.Object({
  source_file_index: Type.Integer(),
  source_sop_instance_uid: Type.String(),
  references: Type.Array(Reference),
  /** True if the list is incomplete: the object declares, or its references match, more than a response holds. */
  truncated: Type.Boolean(),
});
export type ReferencesResponse = Static<typeof ReferencesResponse>;
