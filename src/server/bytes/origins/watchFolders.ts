import { type FSWatcher, readdirSync, realpathSync, statfsSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
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
/** Device and inode, which a folder keeps when it is renamed. */
type FolderKey = string;
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
  readonly key: FolderKey;
  /** Undefined for a folder that the user named. */
  readonly parent: Folder | undefined;
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
  /** As in the walk, a folder is entered once, whatever links lead to it: this is where. */
  const entered = new Map<FolderKey, Folder>();
  /** Folders with an entry that leads to a folder that was entered elsewhere. */
  const passedBy = new Map<FolderKey, Set<Folder>>();
  /** Links to files, by the file that they lead to. */
  const links = new Map<string, Map<string, Folder>>();
  /** What they lead to, by their paths. */
  const targets = new Map<string, string>();
  /** Links that lead nowhere and named folders that are not there. Nothing is reported of them, so they are looked for. */
  const lost = new Map<string, Folder>();
  const dirty = new Map<Folder, number>();
  /** Files that may still be written to, and since when they are as they are. */
  const settling = new Map<string, Settling>();
  const beganMs = Date.now();
  let isPolling = false;
  let nextPollMs = 0;
  let gone: string[] = [];

  function poll(reason: string): void {
    if (!isPolling) onPolling(reason);
    isPolling = true;
  }

  function addFolder(
    path: string,
    { only, parent }: Pick<Folder, 'only' | 'parent'>,
    known: 'known' | 'new',
  ): Folder | undefined {
    const target = findFolder(path);
    if (target === undefined) return undefined;
    const { realPath, key } = target;
    if (only === undefined) {
      const holder = entered.get(key);
      if (holder !== undefined && isStillThere(holder)) {
        if (parent !== undefined) passedBy.set(key, (passedBy.get(key) ?? new Set()).add(parent));
        return undefined;
      }
      // It was renamed, and its new name was found first.
      if (holder !== undefined) removeFolder(holder);
    }
    const folder: Folder = {
      path,
      realPath,
      key,
      parent,
      only,
      files: new Map(),
      touched: new Set(),
      folders: new Set(),
      watcher: undefined,
    };
    folders.set(path, folder);
    if (only === undefined) entered.set(key, folder);
    watchFolder(folder);
    listFolder(folder, known);
    return folder;
  }

  function watchFolder(folder: Folder): void {
    folder.watcher?.close();
    folder.watcher = undefined;
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
  function listFolder(folder: Folder, found: 'known' | 'new' | 'again'): void {
    const { touched } = folder;
    folder.touched = new Set();
    const mayBeAnother = (name: string) => folder.watcher === undefined || touched === undefined || touched.has(name);
    const entries = readEntries(folder, found);
    const present = new Set(entries.map(({ name }) => name));
    // Before anything is added, because a folder that is missing may have another name now.
    for (const name of folder.files.keys()) if (!present.has(name)) forget(folder, name);
    for (const name of folder.folders) if (!present.has(name)) leave(folder, name);
    for (const entry of entries) {
      const { name } = entry;
      if (folder.only !== undefined && !folder.only.has(name)) continue;
      if (found === 'known' && folder.watcher !== undefined && entry.isFile()) {
        folder.files.set(name, NOT_LOOKED_AT);
        continue;
      }
      const path = join(folder.path, name);
      if (folder.folders.has(name)) {
        if (!mayBeAnother(name)) continue;
        const inner = folders.get(path);
        if (inner !== undefined && isStillThere(inner)) {
          // Another folder can have the number of one that was removed, and no watch.
          if (inner.watcher !== undefined) watchFolder(inner);
          listFolder(inner, 'again');
          continue;
        }
        leave(folder, name);
      }
      const state = entry.isDirectory() ? 'folder' : stateOf(join(folder.realPath, name));
      if (state === undefined) {
        if (folder.files.has(name)) forget(folder, name);
        if (entry.isSymbolicLink()) lost.set(path, folder);
        continue;
      }
      if (state === 'folder') {
        if (folder.files.has(name)) forget(folder, name);
        if (!recursive || folder.only !== undefined) continue;
        const inner = addFolder(path, { only: undefined, parent: folder }, found === 'known' ? 'known' : 'new');
        if (inner !== undefined) folder.folders.add(name);
        continue;
      }
      if (entry.isSymbolicLink()) followLink(path, folder);
      const before = folder.files.get(name);
      if (before !== undefined && before !== NOT_LOOKED_AT && isSameState(before, state)) continue;
      const isListed = before === NOT_LOOKED_AT;
      if (!isListed && before !== undefined) forget(folder, name);
      folder.files.set(name, state);
      if (found === 'known') continue;
      if (isListed && !mayBeAnother(name) && state.mtimeMs < beganMs - COARSE_MS) continue;
      settling.set(path, { folder, name, isListed, state, sinceMs: Date.now() });
    }
  }

  function followLink(path: string, folder: Folder): void {
    const target = findRealPath(path);
    if (target === undefined || targets.get(path) === target) return;
    unlink(path);
    targets.set(path, target);
    links.set(target, (links.get(target) ?? new Map<string, Folder>()).set(path, folder));
  }

  /** A file is no longer there, or is another one. One that was never reported is not missed. */
  function forget(folder: Folder, name: string): void {
    const path = join(folder.path, name);
    const { isListed = true } = settling.get(path) ?? {};
    folder.files.delete(name);
    settling.delete(path);
    if (isListed) gone.push(path);
    for (const linking of links.get(join(folder.realPath, name))?.values() ?? []) look(linking);
    unlink(path);
  }

  /** A file is listed by the first path that leads to it. Without that, the others have to be shown. */
  function unlink(path: string): void {
    const target = targets.get(path);
    if (target === undefined) return;
    targets.delete(path);
    const paths = links.get(target);
    paths?.delete(path);
    if (paths?.size === 0) links.delete(target);
    const places = [...(paths ?? [])].map(([other, folder]) => ({ folder, name: basename(other) }));
    for (const folder of folders.values()) {
      if (folder.realPath === dirname(target)) places.push({ folder, name: basename(target) });
    }
    for (const { folder, name } of places) {
      const state = stateOf(join(folder.realPath, name));
      if (!folder.files.has(name) || state === undefined || state === 'folder') continue;
      settling.set(join(folder.path, name), { folder, name, isListed: false, state, sinceMs: Date.now() });
    }
  }

  /** A folder is no longer at this name of its parent. */
  function leave(parent: Folder, name: string): void {
    parent.folders.delete(name);
    const folder = folders.get(join(parent.path, name));
    if (folder !== undefined) removeFolder(folder);
  }

  function removeFolder(folder: Folder): void {
    folders.delete(folder.path);
    dirty.delete(folder);
    folder.watcher?.close();
    folder.parent?.folders.delete(basename(folder.path));
    if (entered.get(folder.key) === folder) {
      entered.delete(folder.key);
      for (const other of passedBy.get(folder.key) ?? []) look(other);
      passedBy.delete(folder.key);
    }
    for (const name of folder.files.keys()) forget(folder, name);
    for (const name of folder.folders) leave(folder, name);
  }

  /** Lists a folder again with the next tick. */
  function look(folder: Folder): void {
    if (folders.get(folder.path) === folder) dirty.set(folder, 0);
  }

  /**
   * The system reports neither that a folder above a named folder is renamed, nor what becomes of a folder that a link leads
   * to, nor that a link leads somewhere again.
   */
  function checkEntrances(): void {
    for (const folder of folders.values()) {
      const isNamed = folder.parent === undefined;
      const isLinked =
        folder.parent !== undefined && folder.realPath !== join(folder.parent.realPath, basename(folder.path));
      if ((!isNamed && !isLinked) || isStillThere(folder)) continue;
      removeFolder(folder);
      lost.set(folder.path, folder.parent ?? folder);
    }
    for (const [path, folder] of lost) {
      const isThere = stateOf(path) !== undefined;
      if (folder.path === path && isThere) addFolder(path, folder, 'new');
      else if (isThere) look(folder);
      if (isThere || (folder.path !== path && !folders.has(folder.path))) lost.delete(path);
    }
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
    if (nowMs >= nextPollMs) {
      checkEntrances();
      for (const folder of folders.values()) if (isPolling && folder.watcher === undefined) dirty.set(folder, 0);
    }
    for (const [folder, dueMs] of dirty) {
      if (dueMs > nowMs || !dirty.delete(folder) || folders.get(folder.path) !== folder) continue;
      listFolder(folder, 'again');
    }
    const tookMs = performance.now() - nowMs;
    if (nowMs >= nextPollMs) {
      nextPollMs = nowMs + Math.max(options.pollMs ?? SHORTEST_POLL_MS, tookMs * POLL_SHARE);
    }
    const { entries, replaced } = takeSettled();
    gone.push(...replaced);
    if (entries.length > 0 || gone.length > 0) onNews({ entries, gone });
    gone = [];
  }

  for (const input of inputs) {
    // Other machines report nothing.
    if (/^[a-z][a-z\d+.-]*:\/\//i.test(input)) continue;
    const path = resolve(input);
    const state = stateOf(path);
    if (state === 'folder') addFolder(path, { only: undefined, parent: undefined }, 'known');
    else {
      const parent = dirname(path);
      const named = folders.get(parent);
      if (named?.only !== undefined) named.only.add(basename(path));
      else if (named === undefined) addFolder(parent, { only: new Set([basename(path)]), parent: undefined }, 'known');
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
    if (found !== 'known') return sortByName(entries);
    // Nothing is reported, so files need no order. Folders and links do: the first that leads to a folder is entered.
    return [...sortByName(entries.filter((entry) => !entry.isFile())), ...entries.filter((entry) => entry.isFile())];
  } catch {
    return [];
  }
}

function isStillThere({ path, key }: Folder): boolean {
  return findFolder(path)?.key === key;
}

function findFolder(path: string): Pick<Folder, 'realPath' | 'key'> | undefined {
  const realPath = findRealPath(path);
  if (realPath === undefined) return undefined;
  try {
    const stats = statSync(realPath, { bigint: true });
    return stats.isDirectory() ? { realPath, key: `${stats.dev}:${stats.ino}` } : undefined;
  } catch {
    return undefined;
  }
}

function findRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
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
