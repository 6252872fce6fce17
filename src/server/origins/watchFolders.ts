import { type FSWatcher, readdirSync, realpathSync, statfsSync, statSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isArchiveName, listArchive } from './archives/listArchive.ts';
import type { ListedEntry, Inputs, ReadMediaDirectory } from './listing.ts';
import { LOCAL_FILE_SYSTEMS } from './localFiles.ts';
import { type FileRef, sealRef } from './origin.ts';
import { sortByName } from './naturalOrder.ts';

/** What has changed in the watched folders. */
export type FolderNews = {
  /** Files that are new or have been replaced, in the order in which the walk would find them. */
  readonly entries: readonly ListedEntry[];
  /** Paths of files that are no longer there, or are another file now. */
  readonly gone: readonly string[];
};

export type WatchFoldersOptions = Inputs & {
  readonly readMediaDirectory: ReadMediaDirectory;
  /** Folders are looked at every so many milliseconds, even if the system reports changes. */
  readonly pollMs?: number | undefined;
  readonly onNews: (news: FolderNews) => void;
  /** Called once, if some folders have to be polled. */
  readonly onPolling: (reason: string) => void;
};

/** An event never carries the truth: it only names a folder that is listed again after this time. */
const AFTER_EVENT_MS = 250;
/** A file that was not written to for this long is complete. */
const REST_MS = 1_000;
const TICK_MS = 250;
/** Polling takes at most this part of the time. */
const POLL_SHARE = 20;
const SHORTEST_POLL_MS = 1_000;

/** The clocks of file systems are coarse: a file may seem to be this much older than it is. */
const COARSE_MS = 2_000;

type FileState = { readonly size: number; readonly mtimeMs: number; readonly ino: number };
/** What was there when the watch began is not looked at before its folder changes: that would double the work of a scan. */
const NOT_LOOKED_AT = 'not looked at';
type Settling = {
  readonly folder: Folder;
  readonly name: string;
  /** Whether it may be a file that the catalog has: it is reported as gone together with its new state. */
  readonly isListed: boolean;
  state: FileState;
  sinceMs: number;
};
type Folder = {
  readonly path: string;
  readonly realPath: string;
  /** If the user named single files of this folder. */
  readonly only: Set<string> | undefined;
  readonly files: Map<string, FileState | typeof NOT_LOOKED_AT>;
  /** Names of which the system told something since the folder was listed; undefined if that may be any. */
  touched: Set<string> | undefined;
  readonly folders: Set<string>;
  watcher: FSWatcher | undefined;
};

/**
 * Reports the files that appear, change and vanish below the inputs, after the state when it was called. It takes one
 * watch for each folder. All calls are synchronous: it runs in a thread of its own. A file that is still being written
 * is not reported.
 */
export function watchFolders(options: WatchFoldersOptions): { close(): void } {
  const { inputs, recursive, archives = true, readMediaDirectory, onNews, onPolling } = options;
  /** By path. */
  const folders = new Map<string, Folder>();
  const inodes = new Set<string>();
  const dirty = new Map<Folder, number>();
  /** Files that may still be written to, and since when they are as they are. */
  const settling = new Map<string, Settling>();
  const beganMs = Date.now();
  let isPolling = false;
  let nextPollMs = 0;

  function poll(reason: string): void {
    if (!isPolling) onPolling(reason);
    isPolling = true;
  }

  function addFolder(path: string, only: Set<string> | undefined, known: 'known' | 'new'): void {
    let realPath: string;
    try {
      realPath = realpathSync.native(path);
      const { dev, ino } = statSync(realPath, { bigint: true });
      const key = `${dev}:${ino}`;
      // As in the walk, a folder is entered once, whatever links lead to it.
      if (only === undefined && inodes.has(key)) return;
      if (only === undefined) inodes.add(key);
    } catch {
      return;
    }
    const folder: Folder = {
      path,
      realPath,
      only,
      files: new Map(),
      touched: new Set(),
      folders: new Set(),
      watcher: undefined,
    };
    folders.set(path, folder);
    watchFolder(folder);
    listFolder(folder, known);
  }

  function watchFolder(folder: Folder): void {
    if (options.pollMs !== undefined) return poll('it was asked for');
    try {
      if (process.platform === 'linux' && !LOCAL_FILE_SYSTEMS.has(statfsSync(folder.realPath).type)) {
        return poll('changes on this file system are not reported');
      }
      folder.watcher = watch(folder.realPath, { persistent: true }, (_, name) => {
        if (name === null) folder.touched = undefined;
        else folder.touched?.add(name);
        if (!dirty.has(folder)) dirty.set(folder, performance.now() + AFTER_EVENT_MS);
      });
      folder.watcher.on('error', () => unwatch(folder));
    } catch (error) {
      // Without a watch to spare (ENOSPC, EMFILE), polling still finds everything.
      poll(`the system has no watch to spare (${error instanceof Error && 'code' in error ? String(error.code) : ''})`);
    }
  }

  function unwatch(folder: Folder): void {
    folder.watcher?.close();
    folder.watcher = undefined;
    folder.touched = undefined;
    dirty.set(folder, 0);
  }

  /** Compares a folder with what was known of it. What is found the first time is known, or all new. */
  function listFolder(folder: Folder, found: 'known' | 'new' | 'again'): string[] {
    const gone: string[] = [];
    const present = new Set<string>();
    const { touched } = folder;
    folder.touched = new Set();
    for (const entry of readEntries(folder, found)) {
      present.add(entry.name);
      if (folder.only !== undefined && !folder.only.has(entry.name)) continue;
      if (found === 'known' && folder.watcher !== undefined && entry.isFile()) {
        folder.files.set(entry.name, NOT_LOOKED_AT);
        continue;
      }
      const path = join(folder.path, entry.name);
      const state = entry.isDirectory() ? 'folder' : stateOf(join(folder.realPath, entry.name));
      if (state === undefined) continue;
      if (state === 'folder') {
        if (!recursive || folder.only !== undefined || folder.folders.has(entry.name)) continue;
        folder.folders.add(entry.name);
        addFolder(path, undefined, found === 'known' ? 'known' : 'new');
        continue;
      }
      const before = folder.files.get(entry.name);
      if (before !== undefined && before !== NOT_LOOKED_AT && isSameState(before, state)) continue;
      folder.files.set(entry.name, state);
      if (found === 'known') continue;
      const isListed = before === NOT_LOOKED_AT;
      if (isListed) {
        const mayBeAnother = touched === undefined || touched.has(entry.name);
        if (!mayBeAnother && state.mtimeMs < beganMs - COARSE_MS) continue;
      } else if (before !== undefined) gone.push(...forget(path));
      settling.set(path, { folder, name: entry.name, isListed, state, sinceMs: Date.now() });
    }
    for (const name of folder.files.keys()) {
      if (present.has(name)) continue;
      folder.files.delete(name);
      gone.push(...forget(join(folder.path, name)));
    }
    for (const name of folder.folders) {
      if (!present.has(name)) gone.push(...removeFolder(folder, name));
    }
    return gone;
  }

  /** The path of a file that is no longer there, or is another one. One that was never reported is not missed. */
  function forget(path: string): string[] {
    const { isListed = true } = settling.get(path) ?? {};
    settling.delete(path);
    return isListed ? [path] : [];
  }

  function removeFolder(parent: Folder, name: string): string[] {
    parent.folders.delete(name);
    const folder = folders.get(join(parent.path, name));
    if (folder === undefined) return [];
    folders.delete(folder.path);
    dirty.delete(folder);
    folder.watcher?.close();
    const gone: string[] = [];
    for (const file of folder.files.keys()) gone.push(...forget(join(folder.path, file)));
    for (const inner of folder.folders) gone.push(...removeFolder(folder, inner));
    return gone;
  }

  /** The files that were not written to for a while. One that was moved here is complete at once. */
  function takeSettled(): { readonly entries: ListedEntry[]; readonly replaced: string[] } {
    const entries: ListedEntry[] = [];
    const replaced: string[] = [];
    for (const [path, waiting] of settling) {
      const { folder, name, state } = waiting;
      const current = stateOf(join(folder.realPath, name));
      if (current === undefined || current === 'folder') {
        dirty.set(folder, 0);
        continue;
      }
      if (!isSameState(current, state)) {
        waiting.state = current;
        waiting.sinceMs = Date.now();
        folder.files.set(name, current);
      } else if (Date.now() - Math.min(waiting.sinceMs, Math.max(state.mtimeMs, 0)) >= REST_MS) {
        settling.delete(path);
        if (waiting.isListed) replaced.push(path);
        entries.push(...list(path, join(folder.realPath, name)));
      }
    }
    return { entries, replaced };
  }

  function list(path: string, found: string): Iterable<ListedEntry> {
    let ref: FileRef;
    try {
      ref = { kind: 'file', realPath: realpathSync.native(found) };
    } catch {
      return [];
    }
    if (!archives || !isArchiveName(path)) return [{ path, ref: sealRef(ref) }];
    return listArchive({ path, ref }, { isNamed: false, readFileIds: readMediaDirectory });
  }

  function tick(): void {
    const nowMs = performance.now();
    const gone: string[] = [];
    if (isPolling && nowMs >= nextPollMs) {
      for (const folder of folders.values()) if (folder.watcher === undefined) dirty.set(folder, 0);
    }
    for (const [folder, dueMs] of dirty) {
      if (dueMs > nowMs || !dirty.delete(folder) || !folders.has(folder.path)) continue;
      gone.push(...listFolder(folder, 'again'));
    }
    const tookMs = performance.now() - nowMs;
    if (nowMs >= nextPollMs) {
      nextPollMs = nowMs + Math.max(options.pollMs ?? SHORTEST_POLL_MS, tookMs * POLL_SHARE);
    }
    const { entries, replaced } = takeSettled();
    gone.push(...replaced);
    if (entries.length > 0 || gone.length > 0) onNews({ entries, gone });
  }

  for (const input of inputs) {
    // Other machines report nothing.
    if (/^[a-z][a-z\d+.-]*:\/\//i.test(input)) continue;
    const path = resolve(input);
    const state = stateOf(path);
    if (state === 'folder') addFolder(path, undefined, 'known');
    else {
      const parent = dirname(path);
      const named = folders.get(parent);
      if (named?.only !== undefined) named.only.add(path.slice(parent.length).replace(/^[/\\]/, ''));
      else if (named === undefined)
        addFolder(parent, new Set([path.slice(parent.length).replace(/^[/\\]/, '')]), 'known');
    }
  }
  const timer = setInterval(tick, TICK_MS);
  return {
    close() {
      clearInterval(timer);
      for (const { watcher } of folders.values()) watcher?.close();
    },
  };
}

function readEntries({ realPath }: Folder, found: 'known' | 'new' | 'again') {
  try {
    const entries = readdirSync(realPath, { withFileTypes: true });
    // Only what is reported has an order.
    return found === 'known' ? entries : sortByName(entries);
  } catch {
    return [];
  }
}

function stateOf(path: string): FileState | 'folder' | undefined {
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

function isSameState(a: FileState, b: FileState): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino;
}
