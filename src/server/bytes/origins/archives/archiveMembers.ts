import { localFiles, seeFile } from '../localFiles.ts';
import { isSameFile, keyOfFile } from '../openFile.ts';
import type { MemberIdentity, MemberRef, Origin, Seen } from '../origin.ts';
import { ArchiveProblem } from './archiveProblem.ts';
import { identityOfMember, keyOfMember, outermost, placeOfMember } from './memberKey.ts';
import { openMember } from './openMember.ts';
import { streamMember } from './streamMember.ts';

/** Files inside of archives, which are read where they are. The walk finds archives, as it finds other files. */
export const archiveMembers: Origin<MemberRef, MemberIdentity> = {
  createLister: () => () => undefined,
  see: (ref) => identityOfMember(ref, seeFile(outermost(ref))),
  open: openMember,
  openStream: streamMember,
  look(ref, { of }) {
    const seen = localFiles.look(outermost(ref), of);
    return seen instanceof Promise ? seen.then((one) => toMember(ref, one)) : toMember(ref, seen);
  },
  isSame: (found, expected) =>
    isSameFile(found.of, expected.of) && found.at === expected.at && found.size === expected.size,
  keyOf: (ref, { of }) => keyOfMember(ref, keyOfFile(outermost(ref), of)),
  // The directory of the archive would have to be read again to find it.
  beside: () => undefined,
  placeOf: placeOfMember,
  changeMarkOf: ({ of }) => of.mtimeMs,
  explain: (error) => (error instanceof ArchiveProblem ? error : localFiles.explain(error)),
};

function toMember(ref: MemberRef, { identity, state }: Seen): Seen {
  if (identity.kind !== 'inode') throw new TypeError('an archive is a local file');
  return { identity: identityOfMember(ref, identity), state: keyOfMember(ref, state) };
}
