import type { Relationship } from '../../shared/contract/referenceTerms.ts';

type Texts = {
  /** Heading for the objects that it refers to. */
  readonly to: string;
  /** Heading for the objects that refer to it. */
  readonly from: string;
};

/** A description of each relationship, from both ends. */
export const RELATIONSHIP_TEXTS: Readonly<Record<Relationship, Texts>> = {
  source_image: { to: 'Source images', from: 'Objects that describe it or are derived from it' },
  source_image_for_segmentation: { to: 'Segmented images', from: 'Segmentations' },
  blending_input: { to: 'Images to blend', from: 'Presentation states that blend it' },
  blending_source: { to: 'Images to overlay', from: 'Presentation states that overlay it' },
  registered_target: { to: 'Registration targets', from: 'Registrations that align other images with it' },
  moving_source: { to: 'Registered images', from: 'Registrations that align it with other images' },
  deformation_source: { to: 'Deformed images', from: 'Registrations that deform it' },
  source_of_measurement: { to: 'Measured images', from: 'Measurements' },
  key_object_segmentation: { to: 'Selected segmentations', from: 'Key object selections' },
  referenced_segment: { to: 'Referenced segments', from: 'Reports about its segments' },
  definition_source: { to: 'Definition sources of its structures', from: 'Structures that it defines' },
  source_structure_set: { to: 'Structure sets it was computed for', from: 'Doses computed for it' },
  referenced_structure_set: { to: 'Structure sets', from: 'Objects that use this structure set' },
  referenced_dose: { to: 'Doses', from: 'Objects that use this dose' },
  referenced_rt_plan: { to: 'Plans it belongs to', from: 'Objects that belong to this plan' },
  referenced_rt_radiation: { to: 'Radiations', from: 'Objects that use this radiation' },
  unknown: { to: 'Other references', from: 'Other references to it' },
};
