import type { FileRecord } from '../../../shared/contract/files.ts';

/**
 * Whether the file may be the label or the overview of a slide, which are single images. Until the series are known,
 * such a file should not be the first one that is opened.
 */
export function isMaybeCompanion({ object_kind, frame_count }: FileRecord): boolean {
  return object_kind === 'whole_slide_microscopy' && frame_count <= 1;
}
