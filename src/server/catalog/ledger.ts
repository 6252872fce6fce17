import type { DiscoveryEntry, SkipReason } from '../../shared/contract/files.ts';
import type { KnownSource } from '../origins/origins.ts';
import type { Refusal } from './scanResult.ts';

/** Most entries that the ledger keeps; its totals stay exact for ever. */
export const LEDGER_SIZE = 256;

/** The paths that are not in the list, and why. */
export interface Ledger {
  add(entry: Refusal): void;
  /** The most recent ones, oldest first. */
  entries(): readonly DiscoveryEntry[];
  /** The DICOM file of an entry that is still kept; undefined where it is none. */
  findFile(id: number): KnownSource | undefined;
  count(disposition: DiscoveryEntry['disposition']): number;
  /** Reasons that occurred, with how often. */
  totals(): ReadonlyMap<SkipReason, number>;
}

type Kept = { readonly entry: DiscoveryEntry; readonly file: KnownSource | undefined };

export function createLedger(): Ledger {
  const recent: Kept[] = [];
  const totals = new Map<SkipReason, number>();
  const counts = { skipped: 0, filtered: 0 };
  return {
    add({ path, disposition, reason, file }) {
      const id = counts.skipped + counts.filtered;
      recent[id % LEDGER_SIZE] = { entry: { id, path, disposition, reason, has_tags: file !== undefined }, file };
      counts[disposition] += 1;
      totals.set(reason, (totals.get(reason) ?? 0) + 1);
    },
    entries() {
      const oldest = (counts.skipped + counts.filtered) % LEDGER_SIZE;
      const inOrder = recent.length < LEDGER_SIZE ? recent : [...recent.slice(oldest), ...recent.slice(0, oldest)];
      return inOrder.map(({ entry }) => entry);
    },
    findFile(id) {
      const kept = recent[id % LEDGER_SIZE];
      return kept?.entry.id === id ? kept.file : undefined;
    },
    count: (disposition) => counts[disposition],
    totals: () => new Map(totals),
  };
}
