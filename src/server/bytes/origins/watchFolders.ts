import { basename, dirname, join, resolve } from 'node:path';
import { createEnteredFolders } from './enteredFolders.ts';
import { createLinkTargets } from './linkTargets.ts';
import type { Inputs, ListedEntry, ReadMediaDirectory } from './listing.ts';
import { createSettlingFiles } from './settlingFiles.ts';
import { createSystemWatch } from './systemWatch.ts';
import {
  createWatchedFolder,
  findFolder,
  findRealPath,
  isSameState,
  isStillThere,
  NOT_LOOKED_AT,
  readEntries,
  stateOfEntry,
  type WatchedFolder,
} from './watchedFolder.ts';

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
const TICK_MS = 250;
/** Polling takes at most this part of the time. */
const POLL_SHARE = 20;
const SHORTEST_POLL_MS = 1_000;

/** The clocks of file systems are coarse: a file may seem to be this much older than it is. */
const COARSE_MS = 2_000;

/**
 * Reports the files that appear, change and vanish below the inputs, after the state when it was called. It takes one
 * watch for each folder. All calls are synchronous: it runs in a thread of its own. A file that is still being written
 * is not reported.
 */
export function watchFolders(options: WatchFoldersOptions): { close(): void } {
  const { inputs, recursive, archives = true, readMediaDirectory, onNews, onPolling } = options;
  /** By path. */
  const folders = new Map<string, WatchedFolder>();
  const entered = createEnteredFolders();
  const links = createLinkTargets<WatchedFolder>();
  /** Links that lead nowhere and named folders that are not there. Nothing is reported of them, so they are looked for. */
  const lost = new Map<string, WatchedFolder>();
  const dirty = new Map<WatchedFolder, number>();
  const settling = createSettlingFiles({ archives, readMediaDirectory });
  const beganMs = Date.now();
  let nextPollMs = 0;
  let gone: string[] = [];
  const system = createSystemWatch({
    isPolled: options.pollMs !== undefined,
    onPolling,
    onChange(folder) {
      if (!dirty.has(folder)) dirty.set(folder, performance.now() + AFTER_EVENT_MS);
    },
    onLoss: (folder) => dirty.set(folder, 0),
  });

  function addFolder(
    path: string,
    { only, parent }: Pick<WatchedFolder, 'only' | 'parent'>,
    known: 'known' | 'new',
  ): WatchedFolder | undefined {
    const target = findFolder(path);
    if (target === undefined) return undefined;
    const { key } = target;
    if (only === undefined && entered.find(key, removeFolder) !== undefined) {
      if (parent !== undefined) entered.passBy(key, parent);
      return undefined;
    }
    const folder = createWatchedFolder({ path, ...target, parent, only });
    folders.set(path, folder);
    if (only === undefined) entered.add(folder);
    system.watch(folder);
    listFolder(folder, known);
    return folder;
  }

  /** Compares a folder with what was known of it. What is found the first time is known, or all new. */
  function listFolder(folder: WatchedFolder, found: 'known' | 'new' | 'again'): void {
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
          if (inner.watcher !== undefined) system.watch(inner);
          listFolder(inner, 'again');
          continue;
        }
        leave(folder, name);
      }
      const state = entry.isDirectory() ? 'folder' : stateOfEntry(join(folder.realPath, name));
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
      settling.add({ folder, name, isListed, state });
    }
  }

  function followLink(path: string, folder: WatchedFolder): void {
    const target = findRealPath(path);
    if (target === undefined || links.find(path) === target) return;
    unlink(path);
    links.add(path, target, folder);
  }

  /** A file is no longer there, or is another one. One that was never reported is not missed. */
  function forget(folder: WatchedFolder, name: string): void {
    const path = join(folder.path, name);
    const { isListed = true } = settling.find(path) ?? {};
    folder.files.delete(name);
    settling.delete(path);
    if (isListed) gone.push(path);
    for (const linking of links.linksTo(join(folder.realPath, name)).values()) look(linking);
    unlink(path);
  }

  /** A file is listed by the first path that leads to it. Without that, the others have to be shown. */
  function unlink(path: string): void {
    const target = links.find(path);
    if (target === undefined) return;
    links.remove(path);
    const places = [...links.linksTo(target)].map(([other, folder]) => ({ folder, name: basename(other) }));
    for (const folder of folders.values()) {
      if (folder.realPath === dirname(target)) places.push({ folder, name: basename(target) });
    }
    for (const { folder, name } of places) {
      const state = stateOfEntry(join(folder.realPath, name));
      if (!folder.files.has(name) || state === undefined || state === 'folder') continue;
      settling.add({ folder, name, isListed: false, state });
    }
  }

  /** A folder is no longer at this name of its parent. */
  function leave(parent: WatchedFolder, name: string): void {
    parent.folders.delete(name);
    const folder = folders.get(join(parent.path, name));
    if (folder !== undefined) removeFolder(folder);
  }

  function removeFolder(folder: WatchedFolder): void {
    folders.delete(folder.path);
    dirty.delete(folder);
    folder.watcher?.close();
    folder.parent?.folders.delete(basename(folder.path));
    for (const other of entered.remove(folder)) look(other);
    for (const name of folder.files.keys()) forget(folder, name);
    for (const name of folder.folders) leave(folder, name);
  }

  /** Lists a folder again with the next tick. */
  function look(folder: WatchedFolder): void {
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
      const isThere = stateOfEntry(path) !== undefined;
      if (folder.path === path && isThere) addFolder(path, folder, 'new');
      else if (isThere) look(folder);
      if (isThere || (folder.path !== path && !folders.has(folder.path))) lost.delete(path);
    }
  }

  function tick(): void {
    const nowMs = performance.now();
    if (nowMs >= nextPollMs) {
      checkEntrances();
      for (const folder of folders.values())
        if (system.isPolling() && folder.watcher === undefined) dirty.set(folder, 0);
    }
    for (const [folder, dueMs] of dirty) {
      if (dueMs > nowMs || !dirty.delete(folder) || folders.get(folder.path) !== folder) continue;
      listFolder(folder, 'again');
    }
    const tookMs = performance.now() - nowMs;
    if (nowMs >= nextPollMs) nextPollMs = nowMs + Math.max(options.pollMs ?? SHORTEST_POLL_MS, tookMs * POLL_SHARE);
    const { entries, replaced, changed } = settling.take();
    for (const folder of changed) look(folder);
    gone.push(...replaced);
    if (entries.length > 0 || gone.length > 0) onNews({ entries, gone });
    gone = [];
  }

  for (const input of inputs) {
    // Other machines report nothing.
    if (/^[a-z][a-z\d+.-]*:\/\//i.test(input)) continue;
    const path = resolve(input);
    const state = stateOfEntry(path);
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
