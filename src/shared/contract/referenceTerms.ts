// Separate from the schemas, so that threads that need only the terms do not load the schema library.

export const RELATIONSHIPS = [
  'source_image',
  'source_image_for_segmentation',
  'blending_input',
  'blending_source',
  'registered_target',
  'moving_source',
  'deformation_source',
  'source_of_measurement',
  'key_object_segmentation',
  'referenced_segment',
  'definition_source',
  'source_structure_set',
  'referenced_structure_set',
  'referenced_dose',
  'referenced_rt_plan',
  'referenced_rt_radiation',
  'unknown',
] as const;
export type Relationship = (typeof RELATIONSHIPS)[number];
