import type { WireReferrer } from '../../../../shared/contract/references.ts';
import type { FileReferences } from '../../../images/references/references.ts';
import type { FileReferrers, Referrer } from '../../../images/references/referrers.ts';
import { closeObject, openObject, writeArray, writeIntegers } from '../../../machine/workers/jsonPieces.ts';
import { parsePathNumber } from '../parseRequest.ts';
import { sendJsonTexts } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';
import { writeReferences } from './writeReferences.ts';

export function referenceRoutes({ catalog, references: store }: ServerContext) {
  const references: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const found = await store.read(file, { signal: c.signal });
    return sendJsonTexts(c, writeResponse(file, found));
  };
  const referencedBy: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const found = await store.referrers.find(file, { signal: c.signal });
    return sendJsonTexts(c, writeReferrers(file, found));
  };
  return { references, referencedBy };
}

function* writeReferrers(
  { index, sopInstanceUid }: { index: number; sopInstanceUid: string },
  { referrers, isComplete, unreadCount, truncated }: FileReferrers,
): Generator<string> {
  const around = {
    target_file_index: index,
    target_sop_instance_uid: sopInstanceUid,
    complete: isComplete,
    unread_count: unreadCount,
    truncated,
  };
  yield `${openObject(around)},"referrers":`;
  yield* writeArray(referrers, writeReferrer);
  yield '}';
}

function* writeReferrer({ file, relationship, frameNumbers, segmentNumbers }: Referrer): Generator<string> {
  const around: Omit<WireReferrer, 'frame_numbers' | 'segment_numbers'> = {
    relationship,
    file_index: file.index,
    path: file.path,
    sop_class_uid: file.sopClassUid,
    sop_instance_uid: file.sopInstanceUid,
  };
  yield `${openObject(around)},"frame_numbers":`;
  yield* writeIntegers(frameNumbers);
  yield ',"segment_numbers":';
  yield* writeIntegers(segmentNumbers);
  yield '}';
}

function* writeResponse(file: { index: number; sopInstanceUid: string }, found: FileReferences): Generator<string> {
  const around = { source_file_index: file.index, source_sop_instance_uid: file.sopInstanceUid };
  yield `${openObject(around)},"references":`;
  const isCut = yield* writeReferences(found);
  yield closeObject({ truncated: isCut || found.truncated });
}
