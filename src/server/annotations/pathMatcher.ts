import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { ImageFile } from './annotatedFiles.ts';

/** Finds the file that a path in a CSV means; answers its index. */
export type PathMatcher = (written: string) => number | undefined;

/**
 * A path matches in its normalized absolute form, both as the file was walked and without symbolic links. A path that
 * matches neither may lead to the file over links of its own, or be written with Windows separators.
 */
export function createPathMatcher(files: readonly ImageFile[], startDirectory: string): PathMatcher {
  const byPath = new Map<string, number>();
  for (const [index, { realPath }] of files.entries()) byPath.set(realPath, index);
  // Later, so that the form that the list shows wins.
  for (const [index, { path }] of files.entries()) byPath.set(path, index);
  const names = new Set([...byPath.keys()].map((path) => basename(path)));
  const realFolder = createFolderResolver();

  const match = (written: string): number | undefined => {
    const path = isNormalized(written) ? written : resolve(startDirectory, written);
    const index = byPath.get(path);
    if (index !== undefined) return index;
    const name = path.slice(path.lastIndexOf(sep) + 1);
    if (!names.has(name)) return undefined;
    const folder = realFolder(dirname(path));
    return folder === undefined ? undefined : byPath.get(join(folder, name));
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

/** Follows the links of a folder. Rows of one folder mostly stand together, so a small memory saves most of the calls. */
function createFolderResolver(): (folder: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (folder) => {
    if (known.has(folder)) return known.get(folder);
    if (known.size >= REMEMBERED_FOLDERS) known.clear();
    const real = readRealPath(folder);
    known.set(folder, real);
    return real;
  };
}

function readRealPath(folder: string): string | undefined {
  try {
    return realpathSync.native(folder);
  } catch {
    // Most rows of a large CSV name folders that are not on this machine.
    return undefined;
  }
}
