import { type Static, Type, nullable } from './schema.ts';

export const RegistrationsQuery = Type.Object({
  /** Frame of Reference UID of the images that layers are to lie over. */
  frame_of_reference: Type.String({ minLength: 1, maxLength: 128 }),
});

export const RegistrationsResponse = Type.Object({
  /** Frames of reference that open registrations connect with these images in ways that lead to different places. */
  choices: Type.Array(
    Type.Object({
      frame_of_reference_uid: Type.String(),
      ways: Type.Array(
        Type.Object({
          via_file_indices: Type.Array(Type.Integer()),
          /** The registrations, and what they do, in words. */
          reason: Type.String(),
          /** Null if the way deforms the patient. */
          angle_degrees: nullable(Type.Number()),
          shift_mm: nullable(Type.Number()),
          rigid: nullable(Type.Boolean()),
          is_chosen: Type.Boolean(),
        }),
      ),
      /** Whether other ways, which are not listed, lead to yet other places. */
      has_more: Type.Boolean(),
    }),
  ),
  /** Why registrations are not used, or not listed; null if there is no such reason. */
  problem: nullable(Type.String()),
  /** The registrations that the user prefers, by file. */
  preferred_file_indices: Type.Array(Type.Integer()),
});
export type RegistrationsResponse = Static<typeof RegistrationsResponse>;

/** The registrations, by file, that decide between different ways until negato ends; they replace the earlier ones. */
export const PreferredRegistrations = Type.Object({
  files: Type.Array(Type.Integer({ minimum: 0 }), { maxItems: 256 }),
});
export type PreferredRegistrations = Static<typeof PreferredRegistrations>;
