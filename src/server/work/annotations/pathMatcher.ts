import { readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { RoiTarget } from './roiTargets.ts';

/** Finds the file that a path in a CSV refers to and returns its index. */
export type PathMatcher = (written: string) => number | undefined;

/**
 * A path is matched in its normalized absolute form, against both the listed path of a file and its path with symbolic
 * links resolved. A path that matches neither may lead to the file through other links, in its folders or at its end,
 * or be written with Windows separators.
 */
export function createPathMatcher(files: readonly RoiTarget[], startDirectory: string): PathMatcher {
  const byPath = new Map<string, number>();
  for (const [index, { place }] of files.entries()) byPath.set(place, index);
  // Added last, so that the path shown in the list takes precedence.
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
    // No path contains NUL, and system calls throw on it.
    if (written === '' || written.includes('\0')) return undefined;
    const index = match(written);
    // Matched as written first, because on POSIX a backslash is an ordinary character in a file name.
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
  /**
   * The names in the folder that are symbolic links, listed once because checking each row would take a system call per
   * row.
   */
  readonly links: ReadonlySet<string>;
};

/**
 * Resolves the links of a folder. Rows of the same folder are usually adjacent, so a small cache saves most of the
 * calls.
 */
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
    // Expected: most rows of a large CSV name folders that are not on this machine.
    return undefined;
  }
}
