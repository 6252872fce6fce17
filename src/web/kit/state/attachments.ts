import type { WireAttachment } from '../../../shared/contract/attachments.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';

/**
 * An attachment as a record of the study whose images it lies over, so that layers of files and of attachments are one
 * list. It has no pixels and no UID of its own; its index is the number of its layer.
 */
export type AttachmentRecord = FileRecord;

/** Those that lie over open images, and the others. */
export function sortAttachments(
  found: readonly WireAttachment[],
  files: readonly FileRecord[],
): {
  readonly attachments: readonly AttachmentRecord[];
  readonly unplaced: readonly WireAttachment[];
  readonly listedAttachments: readonly WireAttachment[];
} {
  const attachments: AttachmentRecord[] = [];
  const unplaced: WireAttachment[] = [];
  for (const one of found) {
    const image = files[one.over_file_indices[0] ?? -1];
    if (image === undefined) unplaced.push(one);
    else attachments.push(toRecord(one, image));
  }
  return { attachments, unplaced, listedAttachments: found };
}

function toRecord({ layer, path, title, member }: WireAttachment, image: FileRecord): AttachmentRecord {
  return {
    ...image,
    index: layer,
    path: member === null ? path : `${path}/${member}`,
    sop_instance_uid: '',
    sop_class_uid: '',
    series_instance_uid: '',
    series_number: '',
    series_description: title,
    content_title: null,
    object_kind: 'unknown',
    has_pixels: false,
    frame_count: 0,
  };
}
