import { type Static, Type } from 'typebox';
import { nullable } from './nullable.ts';
import { RELATIONSHIPS } from './referenceTerms.ts';

export { RELATIONSHIPS, type Relationship } from './referenceTerms.ts';

/** What an object declares that it points to. Frame and segment numbers count from 1, as declared. */
export const ReferenceTarget = Type.Object({
  sop_class_uid: nullable(Type.String()),
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

export const ReferencesResponse = Type.Object({
  source_file_index: Type.Integer(),
  source_sop_instance_uid: Type.String(),
  references: Type.Array(Reference),
});
export type ReferencesResponse = Static<typeof ReferencesResponse>;
