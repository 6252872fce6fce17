import { opendirSync, readdirSync, realpathSync, statSync, type BigIntStats, type Dirent } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { createReadWindow } from './byteSource.ts';
import type { ListedEntry, ListOptions, ReadMediaDirectory } from './listing.ts';
import { sortByName } from './naturalOrder.ts';
import { openFile } from './openFile.ts';
import { sealRef } from './origin.ts';
import type { SourceRef } from './sourceRef.ts';

/**
 * Finds the candidate files: the entries of a folder in natural name order, with subfolders entered at their place in
 * that order.
 *
 * Symbolic links are followed. A folder is entered once, however many links or inputs lead to it, so loops end. A file
 * is yielded once, under the first path that reaches it; hard links are different files with equal content, since the
 * system cannot tell which name is the original. Anything but a regular file is never opened.
 */
export function createWalk({ recursive, readMediaDirectory }: ListOptions): (input: string) => Iterable<ListedEntry> {
  const visited: Visited = { folders: new Set(), files: new Set() };
  const readFileIds = createFileIdReader(readMediaDirectory);
  return (input) => {
    const path = resolve(input);
    const target = findTarget(path);
    if (target === undefined) return [{ path, reason: 'input_path_unavailable' }];
    if (target.stats.isDirectory()) return walkFolder({ path, ...target }, visited, recursive);
    return walkNamedFile({ path, ...target }, visited, readFileIds);
  };
}

type Target = { readonly realPath: string; readonly stats: BigIntStats };
type Visited = { readonly folders: Set<string>; readonly files: Set<string> };

/** A folder that the walk has entered, with its entries in order; `next` is the index of the next entry. */
type Level = { readonly path: string; readonly realPath: string; readonly entries: readonly Dirent[]; next: number };

function* walkFolder(
  folder: Target & { path: string },
  visited: Visited,
  recursive: boolean,
): Generator<ListedEntry, void, void> {
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
      if (isNew(realPath, visited.files)) yield { path, ref: toRef(realPath) };
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
    else if (isNew(target.realPath, visited.files)) yield { path, ref: toRef(target.realPath) };
  }
}

/**
 * Node replaces invalid UTF-8 in a file name with this character, and a file cannot be opened by the resulting name.
 */
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

/** Reads entry by entry, so that the thread can be stopped inside a folder of a million files. */
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

function* walkNamedFile(
  { path, realPath, stats }: Target & { path: string },
  visited: Visited,
  readFileIds: FileIdReader,
): Generator<ListedEntry, void, void> {
  if (!stats.isFile()) {
    yield { path, reason: 'not_dicom' };
    return;
  }
  const isFirst = isNew(realPath, visited.files);
  const fileIds = readFileIds(realPath);
  if (fileIds === undefined) {
    if (isFirst) yield { path, ref: toRef(realPath) };
    return;
  }
  const isDamaged = fileIds === 'damaged';
  if (isFirst) yield { path, ref: toRef(realPath), reason: isDamaged ? 'dicom_parse_failed' : 'media_directory' };
  if (isDamaged) return;
  const findReference = createReferenceFinder(dirname(realPath));
  for (const fileId of fileIds) {
    const reference = findReference(fileId);
    const referenced = join(dirname(path), reference.path);
    const target = reference.isPresent ? findTarget(join(dirname(realPath), reference.path)) : undefined;
    // The author of a medium chooses its references, and must not be able to reach other files of the user through a
    // link.
    if (target?.stats.isFile() !== true || !isInside(target.realPath, dirname(realPath))) {
      yield { path: referenced, reason: 'directory_entry_unreadable' };
    } else if (isNew(target.realPath, visited.files)) yield { path: referenced, ref: toRef(target.realPath) };
  }
}

type FileIdReader = (realPath: string) => ReturnType<ReadMediaDirectory>;

function createFileIdReader(readMediaDirectory: ReadMediaDirectory): FileIdReader {
  const window = createReadWindow();
  return (realPath) => {
    try {
      const source = openFile({ kind: 'file', realPath }, window);
      try {
        return readMediaDirectory(source);
      } finally {
        source.close();
      }
    } catch {
      // The scan reports files that cannot be read.
      return undefined;
    }
  };
}

type MediaReference = {
  /** Relative to the folder of the DICOMDIR. */
  readonly path: string;
  /** False if the folder has no such entry, which also excludes `..`. */
  readonly isPresent: boolean;
};

/**
 * File IDs are upper case, but a copied medium often has lower case names, and some systems keep the version number of
 * ISO 9660 (`IM1.;1`). The exact name takes precedence.
 */
function createReferenceFinder(root: string): (fileId: readonly string[]) => MediaReference {
  const listings = new Map<string, ReadonlyMap<string, string>>();

  function list(folder: string): ReadonlyMap<string, string> {
    const known = listings.get(folder) ?? listNames(join(root, folder));
    listings.set(folder, known);
    return known;
  }

  return (fileId) => {
    let path = '';
    for (const component of fileId) {
      const names = list(path);
      const name = names.get(component) ?? names.get(looseName(component));
      if (name === undefined) return { path: fileId.join('/'), isPresent: false };
      path = join(path, name);
    }
    return { path, isPresent: true };
  };
}

/** The names in a folder, keyed by the exact name and by the loose form. */
function listNames(folder: string): ReadonlyMap<string, string> {
  try {
    const names = readdirSync(folder);
    return new Map([
      ...names.map((name) => [looseName(name), name] as const),
      ...names.map((name) => [name, name] as const),
    ]);
  } catch {
    return new Map();
  }
}

function looseName(name: string): string {
  return name.toLowerCase().replace(/\.?(;\d+)?$/, '');
}
function isInside(path: string, folder: string): boolean {
  return path.startsWith(below(folder, ''));
}

/** Both parts are already normalized; `join` would normalize again for each of a hundred thousand names. */
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

function toRef(realPath: string): SourceRef {
  return sealRef({ kind: 'file', realPath });
}
