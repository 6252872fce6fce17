import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What must be gone when the process ends, however it ends short of SIGKILL. */
export type Leftovers = {
  /** Returns a function that does it now instead of at the end. */
  add(remove: () => void): () => void;
  removeAll(): void;
};

export function createLeftovers(): Leftovers {
  const removers = new Set<() => void>();
  const leftovers: Leftovers = {
    add(remove) {
      removers.add(remove);
      return () => {
        if (removers.delete(remove)) remove();
      };
    },
    removeAll() {
      for (const remove of removers) {
        removers.delete(remove);
        remove();
      }
    },
  };
  // Synchronous removers, because this is the one moment that every way out passes, uncaught errors included.
  process.once('exit', () => leftovers.removeAll());
  return leftovers;
}

export type PrivateFolder = { readonly path: string; readonly remove: () => void };

/** A temporary folder that only this user may enter (mkdtemp makes it 0700 whatever the umask). */
export function createPrivateFolder(leftovers: Leftovers): PrivateFolder {
  const path = mkdtempSync(join(tmpdir(), 'negato-'));
  const remove = leftovers.add(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  return { path, remove };
}
