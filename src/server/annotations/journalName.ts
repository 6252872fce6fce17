import { randomBytes } from 'node:crypto';
import {
  type ProcessStamp,
  STAMP_PATTERN,
  stampOfNobody,
  stampOfThisProcess,
  toStamp,
  writeStamp,
} from '../system/processStamp.ts';

/**
 * The name of a journal contains its owner. Another process takes a journal over by renaming it, which only one process
 * can do.
 */
export function nameJournal(owner: 'this process' | 'nobody'): string {
  const stamp = owner === 'nobody' ? stampOfNobody() : stampOfThisProcess();
  return `rois-${writeStamp(stamp)}-${randomBytes(4).toString('hex')}.journal`;
}

const NAME = new RegExp(`^rois-${STAMP_PATTERN}-[0-9a-f]{8}\\.journal(\\.new)?$`);

/** Undefined if the name is not that of a journal. */
export function parseJournalName(
  name: string,
): { readonly owner: ProcessStamp; readonly isUnfinished: boolean } | undefined {
  const found = NAME.exec(name);
  return found === null ? undefined : { owner: toStamp(found.slice(1, 6)), isUnfinished: found[6] !== undefined };
}
