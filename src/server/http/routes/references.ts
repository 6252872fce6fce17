import type { Reference } from '../../../shared/contract/references.ts';
import type { FileReferences, ResolvedReference } from '../../references/references.ts';
import { parsePathNumber } from '../parsePath.ts';
import { sendJsonPieces } from '../sendJson.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';

export function referenceRoutes({ catalog, references: store }: ServerContext) {
  const references: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const found = await store.read(file, { signal: c.req.raw.signal });
    return sendJsonPieces(c, writeResponse(file, found));
  };
  return { references };
}

function* writeResponse(file: { index: number; sopInstanceUid: string }, found: FileReferences): Generator<string> {
  const around = { source_file_index: file.index, source_sop_instance_uid: file.sopInstanceUid };
  yield `${JSON.stringify(around).slice(0, -1)},"references":`;
  yield* writeReferences(found);
  yield '}';
}

/** Characters that are written before others have their turn: about a millisecond of work. */
const PIECE = 64 * 1024;

/** The array of references as JSON, in pieces. */
export function* writeReferences(references: Iterable<ResolvedReference>): Generator<string> {
  yield* writeArray(references, toReference);
}

/** An array as JSON, in pieces that take about a millisecond each. */
export function* writeArray<Value>(values: Iterable<Value>, toWire: (value: Value) => object): Generator<string> {
  let piece = '[';
  let isFirst = true;
  for (const value of values) {
    piece += (isFirst ? '' : ',') + JSON.stringify(toWire(value));
    isFirst = false;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]`;
}

export function toReference({ matches, ...declared }: ResolvedReference): Reference {
  return {
    relationship: declared.relationship,
    target: {
      sop_class_uid: declared.sopClassUid ?? null,
      sop_instance_uid: declared.sopInstanceUid ?? null,
      series_instance_uid: declared.seriesInstanceUid ?? null,
      frame_numbers: [...declared.frameNumbers],
      segment_numbers: [...declared.segmentNumbers],
    },
    matches: matches.map(({ file, frameIndices }) => ({
      file_index: file.index,
      path: file.path,
      sop_instance_uid: file.sopInstanceUid,
      frame_indices: [...frameIndices],
    })),
  };
}
