import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import type { DocumentLink } from '../documentTasks.ts';

const MOST_EVIDENCE = 65_536;

/** The series of each instance that the evidence lists: the content does not name them. */
export function readEvidence(root: DataSet): ReadonlyMap<string, string> {
  const series = new Map<string, string>();
  for (const tag of [Tag.CurrentRequestedProcedureEvidenceSequence, Tag.PertinentOtherEvidenceSequence]) {
    for (const study of root.items(tag)) {
      for (const one of study.items(Tag.ReferencedSeriesSequence)) {
        const uid = one.string(Tag.SeriesInstanceUID);
        for (const instance of one.items(Tag.ReferencedSOPSequence)) {
          const named = instance.string(Tag.ReferencedSOPInstanceUID);
          if (uid === undefined || named === undefined || series.size >= MOST_EVIDENCE) continue;
          series.set(named, uid);
        }
      }
    }
  }
  return series;
}

/** A link with its series, for a `JsonColumn`. */
export function toLinkJson(link: DocumentLink | undefined, seriesOf: ReadonlyMap<string, string>): string | undefined {
  if (link === undefined) return undefined;
  return JSON.stringify({ ...link, seriesInstanceUid: seriesOf.get(link.sopInstanceUid ?? '') });
}
