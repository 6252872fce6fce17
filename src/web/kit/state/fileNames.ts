import type { FileRecord } from '../../../shared/contract/files.ts';
import { libraryOf } from './library.ts';
import type { Page } from './page.ts';

/** Separates a UID from a path suffix. It occurs in no valid UID and needs no escaping in a URL. */
const SEPARATOR = '~';

/**
 * The name of a file in a URL: its SOP Instance UID. If several files share the UID, or the file has none, the shortest
 * path suffix that distinguishes it from those files is appended. Members of an archive that have the same name are counted.
 */
export function nameFile(page: Page, file: FileRecord): string {
  const others = filesWithUid(page, file.sop_instance_uid).filter(({ index }) => index !== file.index);
  const uid = file.sop_instance_uid;
  if (uid !== '' && others.length === 0) return uid;
  const before = others.filter(({ index, path }) => path === file.path && index < file.index).length;
  return `${uid}${SEPARATOR}${distinctEnd(file, others)}${before > 0 ? `${SEPARATOR}${before + 1}` : ''}`;
}

/** Finds the file that a URL names, if it is already known. If the name matches several copies, returns the first. */
export function findNamedFile(page: Page, name: string): FileRecord | undefined {
  const files = filesWithUid(page, name);
  if (files.length > 0) return files[0];
  const at = name.indexOf(SEPARATOR);
  if (at < 0) return undefined;
  const end = name.slice(at + 1);
  const copies = filesWithUid(page, name.slice(0, at));
  // The whole path of one file may be the end of that of another, and end like a count.
  const [, path = end, count = 1] = /(.*)~(.*)/.exec(end) ?? [];
  return (
    copies.find((file) => file.path === end) ??
    copies.find((file) => file.path.endsWith(`/${end}`)) ??
    copies.filter((file) => file.path === path)[Number(count) - 1]
  );
}

/** Lookups by file list and UID: each list is searched once per UID. */
const known = new WeakMap<readonly FileRecord[], Map<string, readonly FileRecord[]>>();

/** All open files with this SOP Instance UID, in the order of the list. */
export function filesWithUid(page: Page, uid: string): readonly FileRecord[] {
  const { files, attachments } = libraryOf(page).getState();
  // Attachments have no UID; they are found by their path.
  if (uid === '') return [...files, ...attachments].filter(({ sop_instance_uid }) => sop_instance_uid === '');
  const byUid = known.get(files) ?? new Map<string, readonly FileRecord[]>();
  known.set(files, byUid);
  const found = byUid.get(uid) ?? files.filter(({ sop_instance_uid }) => sop_instance_uid === uid);
  byUid.set(uid, found);
  return found;
}

/** The shortest path suffix that no other file shares, or else the whole path. */
function distinctEnd({ path }: FileRecord, others: readonly FileRecord[]): string {
  const parts = path.split('/');
  const ends = parts.map((_, at) => parts.slice(at).join('/'));
  return ends.findLast((end) => !others.some((other) => `/${other.path}`.endsWith(`/${end}`))) ?? path;
}
