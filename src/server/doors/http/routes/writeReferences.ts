import type { Reference } from '../../../../shared/contract/references.ts';
import { sopClassName } from '../../../standard/dicom/uids.ts';
import type { ReferenceMatch, ResolvedReference } from '../../../images/references/references.ts';
import { openObject, writeArray, writeIntegers } from '../../../machine/workers/jsonPieces.ts';

/**
 * Maximum number of matches and frames listed in one response. An object can reference all frames of a large one
 * thousands of times, and sending that list would take longer than any user waits.
 */
const MOST_NAMED = 2_500_000;

/**
 * The array of references as JSON. Returns whether it was truncated because it lists too many matches and frames.
 */
export function* writeReferences(references: Iterable<ResolvedReference>): Generator<string, boolean> {
  let named = 0;
  let before = '[';
  for (const reference of references) {
    for (const { frameIndices } of reference.matches) named += 1 + frameIndices.length;
    if (named > MOST_NAMED) break;
    yield before;
    before = ',';
    yield* writeReference(reference);
  }
  yield before === '[' ? '[]' : ']';
  return named > MOST_NAMED;
}

function* writeReference({ matches, ...declared }: ResolvedReference): Generator<string> {
  const around: Omit<Reference, 'matches'> = {
    relationship: declared.relationship,
    target: {
      sop_class_uid: declared.sopClassUid ?? null,
      sop_class_name: sopClassName(declared.sopClassUid ?? '') ?? null,
      sop_instance_uid: declared.sopInstanceUid ?? null,
      series_instance_uid: declared.seriesInstanceUid ?? null,
      frame_numbers: [...declared.frameNumbers],
      segment_numbers: [...declared.segmentNumbers],
    },
  };
  yield `${openObject(around)},"matches":`;
  yield* writeArray(matches, writeMatch);
  yield '}';
}

function* writeMatch({ file, frameIndices }: ReferenceMatch): Generator<string> {
  const around: Omit<Reference['matches'][number], 'frame_indices'> = {
    file_index: file.index,
    path: file.path,
    sop_instance_uid: file.sopInstanceUid,
  };
  yield `${openObject(around)},"frame_indices":`;
  yield* writeIntegers(frameIndices);
  yield '}';
}
