import type { WireDocumentLink } from '../../../../shared/contract/documents.ts';
import { sopClassName } from '../../../standard/dicom/uids.ts';
import type { ResolvedLink } from '../../../say/documents/documents.ts';

/** `index` is that of the document. */
export function toWireLink(link: ResolvedLink, index: number): WireDocumentLink {
  const { relationship, label, matches, sopClassUid, item, timeMs } = link;
  const [first] = matches;
  return {
    relationship,
    label,
    target: {
      sop_class_uid: sopClassUid ?? null,
      sop_class_name: sopClassName(sopClassUid ?? '') ?? null,
      sop_instance_uid: link.sopInstanceUid ?? null,
      series_instance_uid: link.seriesInstanceUid ?? null,
      frame_numbers: [...link.frameNumbers],
      segment_numbers: [...link.segmentNumbers],
    },
    // The frames of a series that is named as a whole would be all of its frames.
    matches: matches.map(({ file }) => ({
      file_index: file.index,
      path: file.path,
      sop_instance_uid: file.sopInstanceUid,
      frame_indices: [],
    })),
    place:
      first === undefined
        ? null
        : {
            frame_index: first.file.hasPixels ? (first.frameIndices.at(0) ?? 0) : null,
            layer: link.isLayer === true ? index : null,
            item: item ?? null,
            time_ms: timeMs ?? null,
          },
  };
}
