import { opendirSync, readdirSync, realpathSync, statSync, type BigIntStats, type Dirent } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { isArchiveName, listArchive } from './archives/listArchive.ts';
import { createReadWindow } from './byteSource.ts';
import type { ListedEntry, ListOptions, ReadMediaDirectory } from './listing.ts';
import { isMediaDirectoryName, looseName } from './mediaNames.ts';
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
export function createWalk({
  recursive,
  archives = true,
  readMediaDirectory,
}: ListOptions): (input: string) => Iterable<ListedEntry> {
  const visited: Visited = { folders: new Set(), files: new Set() };
  const readFileIds = createFileIdReader(readMediaDirectory);
  return (input) => {
    const path = resolve(input);
    const target = findTarget(path);
    if (target === undefined) return [{ path, reason: 'input_path_unavailable' }];
    if (target.stats.isDirectory())
      return walkFolder({ path, ...target }, visited, { recursive, archives, readFileIds });
    return walkNamedFile({ path, ...target }, visited, readFileIds);
  };
}

type Target = { readonly realPath: string; readonly stats: BigIntStats };
type Visited = { readonly folders: Set<string>; readonly files: Set<string> };

type WalkOptions = { readonly recursive: boolean; readonly archives: boolean; readonly readFileIds: FileIdReader };

/** A folder that the walk has entered, with its entries in order; `next` is the index of the next entry. */
type Level = { readonly path: string; readonly realPath: string; readonly entries: readonly Dirent[]; next: number };

function* walkFolder(
  folder: Target & { path: string },
  visited: Visited,
  { recursive, archives, readFileIds }: WalkOptions,
): Generator<ListedEntry, void, void> {
  const archiveOptions = { isNamed: false, readFileIds: readFileIds.of };
  const levels: Level[] = [];
  const root = enterFolder(folder, visited);
  if (root === 'unreadable') yield { path: folder.path, reason: 'directory_entry_unreadable' };
  else if (root !== 'visited') levels.push(root);

  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    // Files below a folder that is not entered would be found.
    if (level.next === 0 && recursive) yield* walkMedium(level, visited, readFileIds);
    const entry = level.entries[level.next];
    level.next += 1;
    if (entry === undefined) {
      levels.pop();
      continue;
    }
    const path = below(level.path, entry.name);
    if (entry.isFile() && !entry.name.includes(UNDECODABLE)) {
      const realPath = level.path === level.realPath ? path : below(level.realPath, entry.name);
      if (!isNew(realPath, visited.files)) continue;
      if (archives && isArchiveName(entry.name)) yield* listArchive(toFile(path, realPath), archiveOptions);
      else yield { path, ref: toRef(realPath) };
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
    else if (isNew(target.realPath, visited.files)) {
      if (archives && isArchiveName(path)) yield* listArchive(toFile(path, target.realPath), archiveOptions);
      else yield { path, ref: toRef(target.realPath) };
    }
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
  const fileIds = readFileIds.at(realPath);
  if (fileIds === undefined) {
    if (isFirst) yield* listArchive(toFile(path, realPath), { isNamed: true, readFileIds: readFileIds.of });
    return;
  }
  const isDamaged = fileIds === 'damaged';
  if (isFirst) yield { path, ref: toRef(realPath), reason: isDamaged ? 'dicom_parse_failed' : 'media_directory' };
  if (isDamaged) return;
  yield* walkReferences({ path: dirname(path), realPath: dirname(realPath) }, fileIds, visited);
}

/** If a folder has a DICOMDIR, the files that it names come first, in its order. The walk finds the others. */
function* walkMedium(level: Level, visited: Visited, readFileIds: FileIdReader): Generator<ListedEntry, void, void> {
  const entry = level.entries.find(({ name }) => isMediaDirectoryName(name));
  if (entry?.isFile() !== true) return;
  const fileIds = readFileIds.at(below(level.realPath, entry.name));
  // A damaged one is listed by the scan, and hides no file.
  if (fileIds === undefined || fileIds === 'damaged') return;
  yield* walkReferences(level, fileIds, visited);
}

function* walkReferences(
  { path, realPath }: Pick<Level, 'path' | 'realPath'>,
  fileIds: readonly (readonly string[])[],
  visited: Visited,
): Generator<ListedEntry, void, void> {
  const findReference = createReferenceFinder(realPath);
  for (const fileId of fileIds) {
    const reference = findReference(fileId);
    const referenced = join(path, reference.path);
    const target = reference.isPresent ? findTarget(join(realPath, reference.path)) : undefined;
    if (target === undefined) yield { path: referenced, reason: 'media_file_missing' };
    // The author of a medium chooses its references, and must not be able to reach other files of the user through a
    // link.
    else if (!target.stats.isFile() || !target.realPath.startsWith(below(realPath, ''))) {
      yield { path: referenced, reason: 'directory_entry_unreadable' };
    } else if (isNew(target.realPath, visited.files)) yield { path: referenced, ref: toRef(target.realPath) };
  }
}

type FileIdReader = {
  /** Of a local file. */
  readonly at: (realPath: string) => ReturnType<ReadMediaDirectory>;
  readonly of: ReadMediaDirectory;
};

function createFileIdReader(readMediaDirectory: ReadMediaDirectory): FileIdReader {
  const window = createReadWindow();
  return {
    of: readMediaDirectory,
    at(realPath) {
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
    },
  };
}

type MediaReference = {
  /** Relative to the folder of the DICOMDIR. */
  readonly path: string;
  /** False if the folder has no such entry, which also excludes `..`. */
  readonly isPresent: boolean;
};

/** The exact name takes precedence over the loose one. */
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

function toFile(path: string, realPath: string) {
  return { path, ref: { kind: 'file', realPath } } as const;
}

function toRef(realPath: string): SourceRef {
  return sealRef({ kind: 'file', realPath });
}
