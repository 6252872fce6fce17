import { randomBytes } from 'node:crypto';
import {
  type ProcessStamp,
  STAMP_PATTERN,
  stampOfNobody,
  stampOfThisProcess,
  toStamp,
  writeStamp,
} from '../system/processStamp.ts';

/** A journal's name says whose it is, so that another process can take it over by renaming it: only one can. */
export function nameJournal(owner: 'this process' | 'nobody'): string {
  const stamp = owner === 'nobody' ? stampOfNobody() : stampOfThisProcess();
  return `rois-${writeStamp(stamp)}-${randomBytes(4).toString('hex')}.journal`;
}

const NAME = new RegExp(`^rois-${STAMP_PATTERN}-[0-9a-f]{8}\\.journal(\\.new)?$`);

/** Undefined for a name that is none of ours. */
export function parseJournalName(
  name: string,
): { readonly owner: ProcessStamp; readonly isUnfinished: boolean } | undefined {
  const found = NAME.exec(name);
  return found === null ? undefined : { owner: toStamp(found.slice(1, 6)), isUnfinished: found[6] !== undefined };
}
