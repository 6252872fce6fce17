import type { DiscoveryEntry, SkipReason } from '../../shared/contract/files.ts';

/** Most entries that the ledger keeps; its totals stay exact for ever. */
export const LEDGER_SIZE = 256;

/** The paths that are not in the list, and why. */
export interface Ledger {
  add(entry: DiscoveryEntry): void;
  /** The most recent ones, oldest first. */
  entries(): readonly DiscoveryEntry[];
  count(disposition: DiscoveryEntry['disposition']): number;
  /** Reasons that occurred, with how often. */
  totals(): ReadonlyMap<SkipReason, number>;
}

export function createLedger(): Ledger {
  const recent: DiscoveryEntry[] = [];
  const totals = new Map<SkipReason, number>();
  const counts = { skipped: 0, filtered: 0 };
  return {
    add(entry) {
      const added = counts.skipped + counts.filtered;
      recent[added % LEDGER_SIZE] = entry;
      counts[entry.disposition] += 1;
      totals.set(entry.reason, (totals.get(entry.reason) ?? 0) + 1);
    },
    entries() {
      const oldest = (counts.skipped + counts.filtered) % LEDGER_SIZE;
      return recent.length < LEDGER_SIZE ? [...recent] : [...recent.slice(oldest), ...recent.slice(0, oldest)];
    },
    count: (disposition) => counts[disposition],
    totals: () => new Map(totals),
  };
}
