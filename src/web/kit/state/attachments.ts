import type { WireAttachment } from '../../../shared/contract/attachments.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';

/** An attachment that lies over images, in the study of these. */
export type AttachmentRecord = Pick<
  FileRecord,
  'index' | 'path' | 'patient_id' | 'study_instance_uid' | 'frame_of_reference_uid'
> & {
  readonly attachment: number;
  readonly title: string;
};

/** What a layer comes from. Its index is the number of the layer in addresses. */
export type LayerRecord = FileRecord | AttachmentRecord;

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

function toRecord({ attachment, layer, path, title, member }: WireAttachment, image: FileRecord): AttachmentRecord {
  const { patient_id, study_instance_uid, frame_of_reference_uid } = image;
  return {
    index: layer,
    attachment,
    path: member === null ? path : `${path}/${member}`,
    title,
    patient_id,
    study_instance_uid,
    frame_of_reference_uid,
  };
}
