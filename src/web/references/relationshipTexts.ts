import type { Relationship } from '../../shared/contract/referenceTerms.ts';

type Texts = {
  /** Heading for the objects that it refers to. */
  readonly to: string;
  /** Heading for the objects that refer to it. */
  readonly from: string;
};

/** A description of each relationship, from both ends. */
export const RELATIONSHIP_TEXTS: Readonly<Record<Relationship, Texts>> = {
  source_image: { to: 'Source images', from: 'About it, or made from it' },
  source_image_for_segmentation: { to: 'Images that were segmented', from: 'Segmentations of it' },
  blending_input: { to: 'Images that it blends', from: 'Blendings of it' },
  blending_source: { to: 'Images that it lays over each other', from: 'Blendings with it' },
  registered_target: { to: 'Images that others are aligned with', from: 'Registrations that align others with it' },
  moving_source: { to: 'Images that it aligns', from: 'Registrations that align it with others' },
  deformation_source: { to: 'Images that it deforms', from: 'Registrations that deform it' },
  source_of_measurement: { to: 'Images that were measured', from: 'Measurements of it' },
  key_object_segmentation: { to: 'Segmentations that it selects', from: 'Selections of it' },
  referenced_segment: { to: 'Segments that it is about', from: 'Reports about its segments' },
  definition_source: { to: 'What its structures are defined by', from: 'Structures that it defines' },
  source_structure_set: { to: 'Structure sets that it was computed for', from: 'Doses computed for it' },
  referenced_structure_set: { to: 'Structure sets that it uses', from: 'Objects that use it as structure set' },
  referenced_dose: { to: 'Doses', from: 'Objects that use it as dose' },
  referenced_rt_plan: { to: 'Plans that it belongs to', from: 'Objects that belong to this plan' },
  referenced_rt_radiation: { to: 'Radiations', from: 'Objects that use it as radiation' },
  unknown: { to: 'Other references', from: 'Other references to it' },
};
