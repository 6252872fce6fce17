const KEYS_REMEMBERED = 1_024;
const DEATHS_ALLOWED = 1;

/** Remembers which keys killed their worker, so that one bad frame cannot keep the pool restarting. */
export type Quarantine = {
  readonly recordDeath: (key: string) => void;
  readonly holds: (key: string) => boolean;
  /** Number of keys that are refused. */
  readonly count: () => number;
};

export function createQuarantine(): Quarantine {
  const deaths = new Map<string, number>();
  return {
    recordDeath(key) {
      const before = deaths.get(key) ?? 0;
      deaths.delete(key);
      deaths.set(key, before + 1);
      if (deaths.size <= KEYS_REMEMBERED) return;
      for (const oldest of deaths.keys()) {
        deaths.delete(oldest);
        break;
      }
    },
    holds: (key) => (deaths.get(key) ?? 0) > DEATHS_ALLOWED,
    count: () => [...deaths.values()].filter((count) => count > DEATHS_ALLOWED).length,
  };
}
