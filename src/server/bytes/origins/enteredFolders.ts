import { type FolderKey, isStillThere, type WatchedFolder } from './watchedFolder.ts';

/** As in the walk, a folder is entered once, whatever links lead to it: this is where. */
export interface EnteredFolders {
  /** Where the folder was entered before, if it is still there; `left` gets the place where it is not any more. */
  find(key: FolderKey, left: (folder: WatchedFolder) => void): WatchedFolder | undefined;
  add(folder: WatchedFolder): void;
  /** An entry of this folder leads to one that was entered elsewhere. */
  passBy(key: FolderKey, folder: WatchedFolder): void;
  /** Returns the folders with other entries that lead to it. */
  remove(folder: WatchedFolder): Iterable<WatchedFolder>;
}

export function createEnteredFolders(): EnteredFolders {
  const entered = new Map<FolderKey, WatchedFolder>();
  const passedBy = new Map<FolderKey, Set<WatchedFolder>>();
  return {
    find(key, left) {
      const holder = entered.get(key);
      if (holder === undefined || isStillThere(holder)) return holder;
      // It was renamed, and its new name was found first.
      left(holder);
      return undefined;
    },
    add: (folder) => void entered.set(folder.key, folder),
    passBy: (key, folder) => void passedBy.set(key, (passedBy.get(key) ?? new Set()).add(folder)),
    remove(folder) {
      if (entered.get(folder.key) !== folder) return [];
      entered.delete(folder.key);
      const others = passedBy.get(folder.key) ?? [];
      passedBy.delete(folder.key);
      return others;
    },
  };
}
