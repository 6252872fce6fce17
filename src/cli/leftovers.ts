/** Cleanup that must run when the process ends, in any way except SIGKILL. After SIGKILL the next start cleans up. */
export type Leftovers = {
  /** Returns a function that runs the cleanup now instead of at the end. */
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
  // The removers are synchronous, because every way to end the process passes through this event, including uncaught
  // errors.
  process.once('exit', () => leftovers.removeAll());
  return leftovers;
}
