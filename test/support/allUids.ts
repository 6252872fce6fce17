import { findUid, type UidEntry } from '../../src/server/standard/dicom/uids.ts';
import { PACKED_UIDS } from '../../src/server/standard/dicom/uids.generated.ts';

/** Every unique identifier that the standard defines. */
export function allUids(): UidEntry[] {
  return PACKED_UIDS.split('\n').flatMap((line) => findUid(line.split('|', 1)[0] ?? '') ?? []);
}
