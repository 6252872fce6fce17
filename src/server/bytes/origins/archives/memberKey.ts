import type { FileRef, InodeIdentity, MemberIdentity, MemberRef } from '../origin.ts';
import type { SpoolJob } from './spoolMessages.ts';

/** The file of the user that the member is in, however many archives are in between. */
export function outermost(ref: MemberRef): FileRef {
  return ref.of.kind === 'file' ? ref.of : outermost(ref.of);
}

export function identityOfMember(ref: MemberRef, of: InodeIdentity): MemberIdentity {
  return { kind: 'member', of, at: ref.at, size: ref.size };
}

export function keyOfMember(ref: MemberRef, outerKey: string): string {
  const around = ref.of.kind === 'file' ? outerKey : keyOfMember(ref.of, outerKey);
  return `${around}\0${ref.at}\0${ref.method}`;
}

/** The location as text. Two members may have the same name. */
export function placeOfMember(ref: MemberRef): string {
  const around = ref.of.kind === 'file' ? ref.of.realPath : placeOfMember(ref.of);
  return `${around}!/${ref.name}@${ref.at}`;
}

/** What the spool is asked for. `state` is that of the outermost file. */
export function spoolJobOf(
  ref: MemberRef,
  { state, realPath, start, end }: Pick<SpoolJob, 'realPath' | 'start' | 'end'> & { readonly state: string },
): SpoolJob {
  const key = keyOfMember(ref, state);
  if (ref.method === 'gzip') return { key, realPath, start, end, method: 'gzip' };
  const { size, crc } = ref;
  return { key, realPath, start, end, method: 'deflated', size, ...(crc !== undefined && { crc }) };
}
