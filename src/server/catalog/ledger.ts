import type { DiscoveryEntry, SkipReason } from '../../shared/contract/files.ts';
import type { KnownSource } from '../origins/origins.ts';
import type { UnlistedPath } from './scanResult.ts';

/** Maximum number of entries that the ledger keeps; its totals are always exact. */
export const LEDGER_SIZE = 256;

/** The paths that are not in the list, with the reasons. */
export interface Ledger {
  add(entry: UnlistedPath): void;
  /** The most recent entries, oldest first. */
  entries(): readonly DiscoveryEntry[];
  /** The DICOM file of an entry that is still kept; undefined if the entry is gone or not a DICOM file. */
  findFile(id: number): KnownSource | undefined;
  count(disposition: DiscoveryEntry['disposition']): number;
  /** Number of occurrences of each reason. */
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
