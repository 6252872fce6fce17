import { isMediaDirectoryName, looseName } from '../mediaNames.ts';
import { naturalKey } from '../naturalOrder.ts';
import type { FoundMember } from './foundMember.ts';

/** The names of more members than this are not held in memory; they come in the order of the archive. */
const MOST_SORTED = 100_000;

/** The File IDs of a member that is a DICOMDIR; undefined for any other. */
export type ReadMedium = (member: UsableMember) => readonly (readonly string[])[] | undefined;
type UsableMember = Extract<FoundMember, { at: number }>;

/**
 * Members in the order in which the walk finds the same files in a folder: by the natural order of each part of the
 * path; in a folder with a DICOMDIR, the files that it names come first. Members of the same name stay in the order of
 * the archive.
 */
export function* inOrderOfFolders(
  members: Iterable<FoundMember>,
  readMedium: ReadMedium,
): Generator<FoundMember, void, void> {
  const held: { readonly member: FoundMember; readonly key: string }[] = [];
  let isSorted = true;
  for (const member of members) {
    if (!isSorted) {
      yield member;
      continue;
    }
    held.push({ member, key: 'ended' in member ? LAST : keyOfPath(member.name) });
    if (held.length <= MOST_SORTED) continue;
    isSorted = false;
    yield* held.splice(0).map((one) => one.member);
  }
  held.sort((a, b) => {
    if (a.key < b.key) return -1;
    return a.key > b.key ? 1 : 0;
  });
  yield* inOrderOfMedia(
    held.map(({ member }) => member),
    readMedium,
  );
}

function* inOrderOfMedia(sorted: readonly FoundMember[], readMedium: ReadMedium): Generator<FoundMember, void, void> {
  const media = findMedia(sorted, readMedium);
  if (media.size === 0) {
    yield* sorted;
    return;
  }
  const byName = new Map<string, FoundMember>();
  // The first of several has the name, and the exact name comes before the loose one.
  for (const toKey of [(name: string) => name, looseName]) {
    for (const member of sorted) {
      if ('ended' in member) continue;
      const key = member.name.split('/').map(toKey).join('/');
      if (!byName.has(key)) byName.set(key, member);
    }
  }
  const taken = new Set<FoundMember>();
  for (const member of sorted) {
    for (const folder of 'ended' in member ? [] : foldersOf(member.name)) {
      const fileIds = media.get(folder);
      if (fileIds === undefined) continue;
      media.delete(folder);
      for (const fileId of fileIds) {
        const name = folder + fileId.join('/');
        const named = byName.get(name) ?? byName.get(name.split('/').map(looseName).join('/'));
        if (named === undefined) yield { name, reason: 'media_file_missing' };
        else if (!taken.has(named)) {
          taken.add(named);
          yield named;
        }
      }
    }
    if (!taken.has(member)) yield member;
  }
}

/** By folder, which ends in a slash unless it is the root. */
function findMedia(members: readonly FoundMember[], readMedium: ReadMedium) {
  const media = new Map<string, readonly (readonly string[])[]>();
  for (const member of members) {
    if (!('at' in member)) continue;
    const start = member.name.lastIndexOf('/') + 1;
    const folder = member.name.slice(0, start);
    if (media.has(folder) || !isMediaDirectoryName(member.name.slice(start))) continue;
    const fileIds = readMedium(member);
    if (fileIds !== undefined) media.set(folder, fileIds);
  }
  return media;
}

/** All folders around a file, from the root on. */
function foldersOf(name: string): string[] {
  const folders = [''];
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) folders.push(name.slice(0, at + 1));
  return folders;
}

const LAST = '\uffff\uffff';

/** No name has a NUL, so that a shorter part comes first, and equal keys are told apart by the names. */
function keyOfPath(path: string): string {
  let key = '';
  for (const part of path.split('/')) key += `${naturalKey(part)}\0${part}\0`;
  return key;
}
