import { opendirSync, realpathSync, statSync, type BigIntStats, type Dirent } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { SkipReason } from '../../shared/contract/files.ts';
import { isMediaDirectory, readMediaDirectory, type MediaReference } from './mediaDirectory.ts';
import { sortByName } from './naturalOrder.ts';

export type WalkedFile = {
  /** Absolute and normalized, below the input as it was given. */
  readonly path: string;
  /** Where the file really lies: `path` without symbolic links. It is what gets opened. */
  readonly realPath: string;
};
export type SkippedPath = {
  readonly path: string;
  readonly reason: SkipReason;
  /** Of a file that is DICOM. */
  readonly realPath?: string;
};
export type WalkEntry = WalkedFile | SkippedPath;

export type WalkOptions = { readonly inputs: readonly string[]; readonly recursive: boolean };

/**
 * Finds the files to try: each input in the order given, the entries of a folder in natural name order, folders
 * opened where they stand in that order.
 *
 * Symbolic links are followed. A folder is entered once, however many links or inputs lead to it, so a loop ends.
 * A file is yielded once, by the first path that reaches it; hard links are different files with equal content,
 * since the system cannot say which name is the real one. What is no regular file is never opened.
 */
export function* walk({ inputs, recursive }: WalkOptions): Generator<WalkEntry, void, void> {
  const visited: Visited = { folders: new Set(), files: new Set() };
  for (const input of inputs) {
    const path = resolve(input);
    const target = findTarget(path);
    if (target === undefined) yield { path, reason: 'input_path_unavailable' };
    else if (target.stats.isDirectory()) yield* walkFolder({ path, ...target }, visited, recursive);
    else yield* walkNamedFile({ path, ...target }, visited);
  }
}

type Target = { readonly realPath: string; readonly stats: BigIntStats };
type Visited = { readonly folders: Set<string>; readonly files: Set<string> };

/** One folder that the walk is in: its entries are known and ordered, `next` is the one to look at. */
type Level = { readonly path: string; readonly realPath: string; readonly entries: readonly Dirent[]; next: number };

function* walkFolder(
  folder: Target & { path: string },
  visited: Visited,
  recursive: boolean,
): Generator<WalkEntry, void, void> {
  const levels: Level[] = [];
  const root = enterFolder(folder, visited);
  if (root === 'unreadable') yield { path: folder.path, reason: 'directory_entry_unreadable' };
  else if (root !== 'visited') levels.push(root);

  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const entry = level.entries[level.next];
    level.next += 1;
    if (entry === undefined) {
      levels.pop();
      continue;
    }
    const path = below(level.path, entry.name);
    if (entry.isFile() && !entry.name.includes(UNDECODABLE)) {
      const realPath = level.path === level.realPath ? path : below(level.realPath, entry.name);
      if (isNew(realPath, visited.files)) yield { path, realPath };
      continue;
    }
    if (entry.isDirectory() && !recursive) continue;
    const target = findTarget(path);
    if (target === undefined) yield { path, reason: 'directory_entry_unreadable' };
    else if (target.stats.isDirectory()) {
      if (!recursive) continue;
      const entered = enterFolder({ path, ...target }, visited);
      if (entered === 'unreadable') yield { path, reason: 'directory_entry_unreadable' };
      else if (entered !== 'visited') levels.push(entered);
    } else if (!target.stats.isFile()) yield { path, reason: 'not_dicom' };
    else if (isNew(target.realPath, visited.files)) yield { path, realPath: target.realPath };
  }
}

/** Node replaces bytes that are no UTF-8 in a file name by this character, and the name then opens nothing. */
const UNDECODABLE = '\ufffd';

function enterFolder(
  { path, realPath, stats }: Target & { path: string },
  visited: Visited,
): Level | 'visited' | 'unreadable' {
  if (!isNew(`${stats.dev}:${stats.ino}`, visited.folders)) return 'visited';
  try {
    return { path, realPath, entries: sortByName(readEntries(realPath)), next: 0 };
  } catch {
    return 'unreadable';
  }
}

/** Entry by entry, so that the thread can be stopped inside a folder of a million files. */
function readEntries(path: string): Dirent[] {
  const folder = opendirSync(path, { bufferSize: 1024 });
  try {
    const entries: Dirent[] = [];
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) entries.push(entry);
    return entries;
  } finally {
    folder.closeSync();
  }
}

function* walkNamedFile(file: Target & { path: string }, visited: Visited): Generator<WalkEntry, void, void> {
  const { path, realPath, stats } = file;
  if (!stats.isFile()) {
    yield { path, reason: 'not_dicom' };
    return;
  }
  const isFirst = isNew(realPath, visited.files);
  if (!isMediaDirectory(realPath)) {
    if (isFirst) yield { path, realPath };
    return;
  }
  const references = readReferences(realPath);
  if (isFirst) yield { path, realPath, reason: references === undefined ? 'dicom_parse_failed' : 'media_directory' };
  for (const reference of references ?? []) {
    const referenced = join(dirname(path), reference.path);
    const target = reference.isPresent ? findTarget(join(dirname(realPath), reference.path)) : undefined;
    // The author of a medium chooses its references, and must not choose other files of the reader by a link.
    if (target?.stats.isFile() !== true || !isInside(target.realPath, dirname(realPath))) {
      yield { path: referenced, reason: 'directory_entry_unreadable' };
    } else if (isNew(target.realPath, visited.files)) yield { path: referenced, realPath: target.realPath };
  }
}

function readReferences(path: string): readonly MediaReference[] | undefined {
  try {
    return readMediaDirectory(path);
  } catch {
    return undefined;
  }
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(below(folder, ''));
}

/** Both parts are normalized already, which `join` would do again for each of a hundred thousand names. */
function below(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

function findTarget(path: string): Target | undefined {
  try {
    const realPath = realpathSync.native(path);
    return { realPath, stats: statSync(realPath, { bigint: true }) };
  } catch {
    return undefined;
  }
}

function isNew(key: string, seen: Set<string>): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}
