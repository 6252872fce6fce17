import type { FileRecord } from '../../src/shared/contract/files.ts';
import { emptyWireFields } from './emptyFields.ts';

/** A file as /files lists it, by default without names and pixels. */
export function createFileRecord(index: number, different: Partial<FileRecord> = {}): FileRecord {
  return {
    index,
    ...emptyWireFields(),
    path: `/data/${index}.dcm`,
    support_state: 'metadata_only',
    revision: index + 1,
    ...different,
  };
}
