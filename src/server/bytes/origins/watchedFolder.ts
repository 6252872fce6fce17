import { type FSWatcher, readdirSync, realpathSync, statSync } from 'node:fs';
import { sortByName } from './naturalOrder.ts';

export type FileState = { readonly size: number; readonly mtimeMs: number; readonly ino: number };

/** Device and inode, which a folder keeps when it is renamed. */
export type FolderKey = string;

/** What was there when the watch began is not looked at before its folder changes: that would double the work of a scan. */
export const NOT_LOOKED_AT = 'not looked at';

export type WatchedFolder = {
  readonly path: string;
  readonly realPath: string;
  readonly key: FolderKey;
  /** Undefined for a folder that the user named. */
  readonly parent: WatchedFolder | undefined;
  /** If the user named single files of this folder. */
  readonly only: Set<string> | undefined;
  readonly files: Map<string, FileState | typeof NOT_LOOKED_AT>;
  /** Names of which the system told something since the folder was listed; undefined if that may be any. */
  touched: Set<string> | undefined;
  readonly folders: Set<string>;
  watcher: FSWatcher | undefined;
};

export function createWatchedFolder(
  named: Pick<WatchedFolder, 'path' | 'realPath' | 'key' | 'parent' | 'only'>,
): WatchedFolder {
  return { ...named, files: new Map(), touched: new Set(), folders: new Set(), watcher: undefined };
}

export function readEntries({ realPath }: WatchedFolder, found: 'known' | 'new' | 'again') {
  try {
    const entries = readdirSync(realPath, { withFileTypes: true });
    if (found !== 'known') return sortByName(entries);
    // Nothing is reported, so files need no order. Folders and links do: the first that leads to a folder is entered.
    return [...sortByName(entries.filter((entry) => !entry.isFile())), ...entries.filter((entry) => entry.isFile())];
  } catch {
    return [];
  }
}

export function isStillThere({ path, key }: WatchedFolder): boolean {
  return findFolder(path)?.key === key;
}

export function findFolder(path: string): Pick<WatchedFolder, 'realPath' | 'key'> | undefined {
  const realPath = findRealPath(path);
  if (realPath === undefined) return undefined;
  try {
    const stats = statSync(realPath, { bigint: true });
    return stats.isDirectory() ? { realPath, key: `${stats.dev}:${stats.ino}` } : undefined;
  } catch {
    return undefined;
  }
}

export function findRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

export function stateOfEntry(path: string): FileState | 'folder' | undefined {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return 'folder';
    if (!stats.isFile()) return undefined;
    const { size, mtimeMs, ino } = stats;
    return { size, mtimeMs, ino };
  } catch {
    return undefined;
  }
}

export function isSameState(a: FileState, b: FileState): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino;
}
