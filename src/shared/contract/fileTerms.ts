// Separate from the schemas, so that threads and pages that need only the terms do not load the schema library.

export const OBJECT_KINDS = [
  'classic_image',
  'enhanced_image',
  'whole_slide_microscopy',
  'segmentation',
  'parametric_map',
  'real_world_value_mapping',
  'presentation_state',
  'registration',
  'structured_report',
  'key_object_selection',
  'waveform',
  'radiation_therapy',
  'encapsulated_document',
  'video',
  'unknown',
] as const;
export type ObjectKind = (typeof OBJECT_KINDS)[number];

export const SUPPORT_STATES = ['renderable', 'metadata_only', 'unsupported'] as const;
export type SupportState = (typeof SUPPORT_STATES)[number];

export const SPACING_SOURCES = ['pixel_spacing', 'imager', 'nominal', 'image_plane', 'magnification'] as const;
export type SpacingSource = (typeof SPACING_SOURCES)[number];
