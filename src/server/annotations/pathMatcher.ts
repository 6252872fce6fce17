import { readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { ImageFile } from './annotatedFiles.ts';

/** Finds the file that a path in a CSV means; answers its index. */
export type PathMatcher = (written: string) => number | undefined;

/**
 * A path matches in its normalized absolute form, both as the file was walked and without symbolic links. A path that
 * matches neither may lead to the file over links of its own, in its folders or at its end, or be written with Windows
 * separators.
 */
export function createPathMatcher(files: readonly ImageFile[], startDirectory: string): PathMatcher {
  const byPath = new Map<string, number>();
  for (const [index, { place }] of files.entries()) byPath.set(place, index);
  // Later, so that the form that the list shows wins.
  for (const [index, { path }] of files.entries()) byPath.set(path, index);
  const findFolder = createFolderResolver();

  const match = (written: string): number | undefined => {
    const path = isNormalized(written) ? written : resolve(startDirectory, written);
    const index = byPath.get(path);
    if (index !== undefined) return index;
    const name = path.slice(path.lastIndexOf(sep) + 1);
    const folder = findFolder(dirname(path));
    if (folder === undefined) return undefined;
    const realFile = folder.links.has(name) ? readRealPath(join(folder.realPath, name)) : undefined;
    return byPath.get(join(folder.realPath, name)) ?? byPath.get(realFile ?? '');
  };

  return (written) => {
    // No path contains NUL, and the system calls throw on it.
    if (written === '' || written.includes('\0')) return undefined;
    const index = match(written);
    // As it stands first: on POSIX a backslash is a character like any other in a file name.
    if (index !== undefined || !written.includes('\\')) return index;
    return match(written.replaceAll('\\', '/'));
  };
}

/** True for most rows, and many times cheaper than `resolve`. */
function isNormalized(path: string): boolean {
  return sep === '/' && path.startsWith('/') && !/\/(?:\.{0,2})(?:\/|$)/.test(path);
}

const REMEMBERED_FOLDERS = 4_096;

type Folder = {
  readonly realPath: string;
  /** The names in it that are symbolic links. To ask for each row would cost a system call for each. */
  readonly links: ReadonlySet<string>;
};

/** Follows the links of a folder. Rows of one folder mostly stand together, so a small memory saves most of the calls. */
function createFolderResolver(): (folder: string) => Folder | undefined {
  const known = new Map<string, Folder | undefined>();
  return (path) => {
    if (known.has(path)) return known.get(path);
    if (known.size >= REMEMBERED_FOLDERS) known.clear();
    const realPath = readRealPath(path);
    const folder = realPath === undefined ? undefined : { realPath, links: listLinks(realPath) };
    known.set(path, folder);
    return folder;
  };
}

function listLinks(folder: string): ReadonlySet<string> {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return new Set(entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name));
  } catch {
    return new Set();
  }
}

function readRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // Most rows of a large CSV name folders that are not on this machine.
    return undefined;
  }
}
