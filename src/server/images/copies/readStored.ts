import { createReadWindow, ownBytes } from '../../bytes/origins/byteSource.ts';
import { openSame, requireUnchanged } from '../../bytes/origins/origins.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { findDataSet } from '../../standard/dicom/findDataSet.ts';
import { INFLATE_LIMITS } from '../../standard/dicom/inflatedSource.ts';
import { FlagCollector } from '../../standard/dicom/readFlags.ts';
import type { ReadStoredInput } from './copyTasks.ts';
import { fillBlanks } from './streamComments.ts';

/** Reads a part of a file that a copy has as it is. Implements `readStoredTask`. */
export function readStored(
  { source, offset, length, isInflated, blanks }: ReadStoredInput,
  { transfer }: Pick<TaskContext, 'transfer'>,
): Uint8Array {
  const opened = openSame(source, createReadWindow());
  try {
    const found = isInflated
      ? findDataSet(opened, { flags: new FlagCollector(), inflateLimits: INFLATE_LIMITS })?.source
      : opened;
    const bytes = found === undefined ? new Uint8Array(0) : ownBytes(found.read(offset, length));
    fillBlanks(bytes, offset, blanks);
    requireUnchanged(opened);
    if (bytes.length !== length) throw new Error(`${bytes.length} of ${length} bytes are there`);
    return transfer(bytes);
  } finally {
    opened.close();
  }
}
