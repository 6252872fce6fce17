import type { FileRecord } from '../../../shared/contract/files.ts';
import type { LayerRecord } from './attachments.ts';
import { libraryOf } from './library.ts';
import type { Page } from './page.ts';

/** Separates a UID from a path suffix. It occurs in no valid UID and needs no escaping in a URL. */
const SEPARATOR = '~';

/**
 * The name of a file in a URL: its SOP Instance UID. If several files share the UID, or the file has none, the shortest
 * path suffix that distinguishes it from those files is appended. Members of an archive that have the same name are counted.
 */
export function nameFile(page: Page, file: LayerRecord): string {
  const uid = 'attachment' in file ? '' : file.sop_instance_uid;
  const others = recordsWithUid(page, uid).filter(({ index }) => index !== file.index);
  if (uid !== '' && others.length === 0) return uid;
  const before = others.filter(({ index, path }) => path === file.path && index < file.index).length;
  return `${uid}${SEPARATOR}${distinctEnd(file, others)}${before > 0 ? `${SEPARATOR}${before + 1}` : ''}`;
}

/** Finds the file that a URL names, if it is already known. If the name matches several copies, returns the first. */
export function findNamedFile(page: Page, name: string): FileRecord | undefined {
  const found = findNamedLayer(page, name);
  return found === undefined || 'attachment' in found ? undefined : found;
}

/** The same for the file or the attachment that a layer comes from. */
export function findNamedLayer(page: Page, name: string): LayerRecord | undefined {
  const files = recordsWithUid(page, name);
  if (files.length > 0) return files[0];
  const at = name.indexOf(SEPARATOR);
  if (at < 0) return undefined;
  const end = name.slice(at + 1);
  const copies = recordsWithUid(page, name.slice(0, at));
  // The whole path of one file may be the end of that of another, and end like a count.
  const [, path = end, count = 1] = /(.*)~(.*)/.exec(end) ?? [];
  return (
    copies.find((file) => file.path === end) ??
    copies.find((file) => file.path.endsWith(`/${end}`)) ??
    copies.filter((file) => file.path === path)[Number(count) - 1]
  );
}

/** Attachments have no UID; they are found by their path. */
function recordsWithUid(page: Page, uid: string): readonly LayerRecord[] {
  const files = filesWithUid(page, uid);
  return uid === '' ? [...files, ...libraryOf(page).getState().attachments] : files;
}

/** Lookups by file list and UID: each list is searched once per UID. */
const known = new WeakMap<readonly FileRecord[], Map<string, readonly FileRecord[]>>();

/** All open files with this SOP Instance UID, in the order of the list. */
export function filesWithUid(page: Page, uid: string): readonly FileRecord[] {
  const { files } = libraryOf(page).getState();
  const byUid = known.get(files) ?? new Map<string, readonly FileRecord[]>();
  known.set(files, byUid);
  const found = byUid.get(uid) ?? files.filter(({ sop_instance_uid }) => sop_instance_uid === uid);
  byUid.set(uid, found);
  return found;
}

/** The shortest path suffix that no other file shares, or else the whole path. */
function distinctEnd({ path }: LayerRecord, others: readonly LayerRecord[]): string {
  const parts = path.split('/');
  const ends = parts.map((_, at) => parts.slice(at).join('/'));
  return ends.findLast((end) => !others.some((other) => `/${other.path}`.endsWith(`/${end}`))) ?? path;
}
