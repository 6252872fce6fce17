import { type FolderKey, isStillThere, type WatchedFolder } from './watchedFolder.ts';

/** As in the walk, a folder is entered once, whatever links lead to it: this is where. */
export function createEnteredFolders() {
  const entered = new Map<FolderKey, WatchedFolder>();
  const passedBy = new Map<FolderKey, Set<WatchedFolder>>();
  return {
    /** Where the folder was entered before, if it is still there; `left` gets the place where it is not any more. */
    find(key: FolderKey, left: (folder: WatchedFolder) => void): WatchedFolder | undefined {
      const holder = entered.get(key);
      if (holder === undefined || isStillThere(holder)) return holder;
      // It was renamed, and its new name was found first.
      left(holder);
      return undefined;
    },
    add: (folder: WatchedFolder) => void entered.set(folder.key, folder),
    /** An entry of this folder leads to one that was entered elsewhere. */
    passBy: (key: FolderKey, folder: WatchedFolder) =>
      void passedBy.set(key, (passedBy.get(key) ?? new Set()).add(folder)),
    /** Returns the folders with other entries that lead to it. */
    remove(folder: WatchedFolder): Iterable<WatchedFolder> {
      if (entered.get(folder.key) !== folder) return [];
      entered.delete(folder.key);
      const others = passedBy.get(folder.key) ?? [];
      passedBy.delete(folder.key);
      return others;
    },
  };
}
