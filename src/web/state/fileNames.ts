import type { FileRecord } from '../../shared/contract/files.ts';
import { findFile, libraryStore } from './library.ts';

/** Between a UID and the end of a path. It stands in no valid UID, and needs no escape in an address. */
const SEPARATOR = '~';

/**
 * What a file is called in an address: its SOP Instance UID. Files may share one, or have none: then the end of the path
 * follows, as much of it as tells the file from those.
 */
export function nameFile(file: FileRecord): string {
  const others = filesWithUid(file.sop_instance_uid).filter(({ index }) => index !== file.index);
  const uid = file.sop_instance_uid;
  return uid !== '' && others.length === 0 ? uid : `${uid}${SEPARATOR}${distinctEnd(file, others)}`;
}

/** The file that an address names, as far as it is known by now. Of copies that it does not tell apart, the first. */
export function findNamedFile(name: string): FileRecord | undefined {
  // Links of earlier versions have the index of a file without a UID.
  if (/^#\d+$/.test(name)) return findFile(Number(name.slice(1)));
  const files = filesWithUid(name);
  if (files.length > 0) return files[0];
  const at = name.indexOf(SEPARATOR);
  if (at < 0) return undefined;
  const end = name.slice(at + 1);
  return filesWithUid(name.slice(0, at)).find(({ path }) => path === end || path.endsWith(`/${end}`));
}

/** UIDs that were asked for, by list: each list of files is gone through once for each of them. */
const known = new WeakMap<readonly FileRecord[], Map<string, readonly FileRecord[]>>();

/** All open files with this SOP Instance UID, in the order of the list. */
export function filesWithUid(uid: string): readonly FileRecord[] {
  const { files } = libraryStore.getState();
  const byUid = known.get(files) ?? new Map<string, readonly FileRecord[]>();
  known.set(files, byUid);
  const found = byUid.get(uid) ?? files.filter(({ sop_instance_uid }) => sop_instance_uid === uid);
  byUid.set(uid, found);
  return found;
}

/** The last parts of the path, no more than are needed. */
function distinctEnd({ path }: FileRecord, others: readonly FileRecord[]): string {
  for (let at = path.lastIndexOf('/'); at >= 0; at = path.lastIndexOf('/', at - 1)) {
    const end = path.slice(at);
    if (!others.some((other) => other.path.endsWith(end))) return end.slice(1);
    if (at === 0) break;
  }
  return path;
}
