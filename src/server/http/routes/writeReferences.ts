import type { Reference } from '../../../shared/contract/references.ts';
import { sopClassName } from '../../dicom/uids.ts';
import type { ReferenceMatch, ResolvedReference } from '../../references/references.ts';
import { writeNumbers } from './writeNumbers.ts';

/**
 * Maximum number of matches and frames listed in one response. An object can reference all frames of a large one
 * thousands of times, and sending that list would take longer than any user waits.
 */
const MOST_NAMED = 2_500_000;

/** Characters written before the event loop gets a turn: about a millisecond of work. */
const PIECE = 64 * 1024;

/**
 * The array of references as JSON, in pieces. Returns whether it was truncated because it lists too many matches and
 * frames.
 */
export function writeReferences(references: Iterable<ResolvedReference>): Generator<string, boolean> {
  return inPieces(writeTexts(references));
}

function* writeTexts(references: Iterable<ResolvedReference>): Generator<string, boolean> {
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
  yield `${JSON.stringify(around).slice(0, -1)},"matches":[`;
  for (const [position, match] of matches.entries()) {
    if (position > 0) yield ',';
    yield* writeMatch(match);
  }
  yield ']}';
}

function* writeMatch({ file, frameIndices }: ReferenceMatch): Generator<string> {
  const around: Omit<Reference['matches'][number], 'frame_indices'> = {
    file_index: file.index,
    path: file.path,
    sop_instance_uid: file.sopInstanceUid,
  };
  yield `${JSON.stringify(around).slice(0, -1)},"frame_indices":[`;
  yield* writeNumbers(frameIndices);
  yield ']}';
}

function* inPieces<Outcome>(texts: Generator<string, Outcome>): Generator<string, Outcome> {
  let piece = '';
  for (;;) {
    const next = texts.next();
    if (next.done === true) {
      yield piece;
      return next.value;
    }
    piece += next.value;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
}
