/** What must be gone when the process ends, however it ends short of SIGKILL. After that the next start cleans up. */
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
