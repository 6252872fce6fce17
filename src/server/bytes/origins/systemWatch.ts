import { statfsSync, watch } from 'node:fs';
import { LOCAL_FILE_SYSTEMS } from './localFiles.ts';
import type { WatchedFolder } from './watchedFolder.ts';

export type SystemWatchOptions = {
  /** Folders are polled although the system could report changes. */
  readonly isPolled: boolean;
  /** Called once, if some folders have to be polled. */
  readonly onPolling: (reason: string) => void;
  /** Something in the folder may have changed: its `touched` says what. */
  readonly onChange: (folder: WatchedFolder) => void;
  /** The folder cannot be watched any more. */
  readonly onLoss: (folder: WatchedFolder) => void;
};

/** What the system reports of changes in folders, and which folders have to be polled because it does not. */
export function createSystemWatch({ isPolled, onPolling, onChange, onLoss }: SystemWatchOptions) {
  let isPolling = false;

  function poll(reason: string): void {
    if (!isPolling) onPolling(reason);
    isPolling = true;
  }

  function unwatch(folder: WatchedFolder): void {
    folder.watcher?.close();
    folder.watcher = undefined;
    folder.touched = undefined;
    onLoss(folder);
  }

  return {
    /** Watches a folder, again if it is watched already. */
    watch(folder: WatchedFolder): void {
      folder.watcher?.close();
      folder.watcher = undefined;
      if (isPolled) return poll('it was asked for');
      try {
        if (process.platform === 'linux' && !LOCAL_FILE_SYSTEMS.has(statfsSync(folder.realPath).type)) {
          return poll('changes on this file system are not reported');
        }
        folder.watcher = watch(folder.realPath, { persistent: true }, (_, name) => {
          if (name === null) folder.touched = undefined;
          else folder.touched?.add(name);
          onChange(folder);
        });
        folder.watcher.on('error', () => unwatch(folder));
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        // Without a watch to spare (ENOSPC, EMFILE), polling still finds everything.
        poll(`the system has no watch to spare (${code})`);
      }
    },
    /** Whether some folders have no watch. */
    isPolling: () => isPolling,
  };
}
