// Separate from the schemas, so that threads that need only the terms do not load the schema library.

/** What an object is for its reader. `other` is a well-formed summary, for images as well. */
export const DOCUMENT_KINDS = [
  'report',
  'key_objects',
  'pdf',
  'cda',
  'mesh',
  'material',
  'file',
  'waveform',
  'video',
  'plan',
  'record',
  'spectroscopy',
  'presentation_state',
  'registration',
  'fiducials',
  'value_mapping',
  'bulk_annotations',
  'hanging_protocol',
  'color_palette',
  'implant',
  'inventory',
  'procedure_log',
  'raw',
  'other',
] as const;
export type DocumentKindName = (typeof DOCUMENT_KINDS)[number];

/** The endpoints below `/file/:index` that answer for a kind of document. */
export const DOCUMENT_VIEWS = [
  'report',
  'report/measurements',
  'content',
  'narrative',
  'mesh',
  'waveform',
  'waveform/:group/samples',
  'video',
  'plan',
  'spectra',
  'spectra/:spectrum',
  'presentation',
] as const;
export type DocumentViewName = (typeof DOCUMENT_VIEWS)[number];

/** How the page colors a status. */
export const STATUS_TONES = ['plain', 'good', 'warn'] as const;
export type StatusTone = (typeof STATUS_TONES)[number];

/** A mesh of more triangles is shown only if a client asks for them. */
export const DEFAULT_MOST_TRIANGLES = 500_000;
