import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type DiscoveryEntry, SKIP_REASONS, type SkipReason } from '../../../shared/contract/files.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { packKnown, unpackKnown } from '../../bytes/origins/sourceColumns.ts';
import type { UnlistedPath } from './scanResult.ts';

/** Number of the most recent entries that `/files` has; the totals are always exact. */
export const LEDGER_SIZE = 256;

/** Entries that are packed together, which takes about a millisecond, and their paths. */
const BLOCK_ENTRIES = 512;
const BLOCK_CHARACTERS = 2 ** 16;
/** Of the paths that are unpacked and sent at once, which takes a few milliseconds. A part may be shorter because of it. */
const PART_CHARACTERS = 2 ** 18;
/** Of all packed entries: about two million paths. */
const MOST_BYTES = 32 * 2 ** 20;

/** The paths that are not in the list, with the reasons. */
export interface Ledger {
  add(entry: UnlistedPath): void;
  /** The most recent entries, oldest first. */
  entries(): readonly DiscoveryEntry[];
  /** A part of all entries that name something that exists, by reason and, for one reason, in the order of discovery. */
  list(part: LedgerPart): readonly DiscoveryEntry[];
  /** How many `list` has. */
  listed(reason: SkipReason | undefined): number;
  /** How many more there are than there is room for. */
  unlisted(): number;
  /** The DICOM file of an entry; undefined if the entry is not listed or not a DICOM file. */
  findFile(id: number): KnownSource | undefined;
  count(disposition: DiscoveryEntry['disposition']): number;
  /** Number of occurrences of each reason. */
  totals(): ReadonlyMap<SkipReason, number>;
}

export type LedgerPart = { readonly reason?: SkipReason | undefined; readonly offset: number; readonly limit: number };

export type LedgerOptions = { readonly mostBytes?: number };

type Kept = { readonly entry: DiscoveryEntry; readonly file: KnownSource | undefined };

export function createLedger({ mostBytes = MOST_BYTES }: LedgerOptions = {}): Ledger {
  const recent: Kept[] = [];
  const totals = new Map<SkipReason, number>();
  const counts = { skipped: 0, filtered: 0 };
  const lists = new Map<SkipReason, PackedList>();
  let packedBytes = 0;
  let unlisted = 0;

  function keep(kept: Kept): void {
    if (packedBytes > mostBytes) {
      unlisted += 1;
      return;
    }
    const { reason } = kept.entry;
    const list = lists.get(reason) ?? createPackedList();
    lists.set(reason, list);
    packedBytes += list.add(kept);
  }

  const listsOf = (reason: SkipReason | undefined) =>
    (reason === undefined ? SKIP_REASONS : [reason]).flatMap((one) => lists.get(one) ?? []);

  return {
    add({ path, disposition, reason, file }) {
      const id = counts.skipped + counts.filtered;
      const kept: Kept = { entry: { id, path, disposition, reason, has_tags: file !== undefined }, file };
      recent[id % LEDGER_SIZE] = kept;
      counts[disposition] += 1;
      totals.set(reason, (totals.get(reason) ?? 0) + 1);
      // What a DICOMDIR names in vain is counted only: it may name any number of files.
      if (reason !== 'media_file_missing') keep(kept);
    },
    entries() {
      const oldest = (counts.skipped + counts.filtered) % LEDGER_SIZE;
      const inOrder = recent.length < LEDGER_SIZE ? recent : [...recent.slice(oldest), ...recent.slice(0, oldest)];
      return inOrder.map(({ entry }) => entry);
    },
    list({ reason, offset, limit }) {
      const found: DiscoveryEntry[] = [];
      let [skip, room] = [offset, PART_CHARACTERS];
      for (const list of listsOf(reason)) {
        for (const { entry } of list.read(skip, limit - found.length)) {
          if (room <= 0) return found;
          room -= entry.path.length;
          found.push(entry);
        }
        skip = Math.max(0, skip - list.length());
      }
      return found;
    },
    listed: (reason) => listsOf(reason).reduce((sum, list) => sum + list.length(), 0),
    unlisted: () => unlisted,
    findFile(id) {
      const kept = recent[id % LEDGER_SIZE];
      if (kept?.entry.id === id) return kept.file;
      for (const list of lists.values()) {
        const found = list.find(id);
        if (found !== undefined) return found.file;
      }
      return undefined;
    },
    count: (disposition) => counts[disposition],
    totals: () => new Map(totals),
  };
}

/** Entries in the order of their numbers. Most are packed: a folder may have a million files that are no DICOM files. */
type PackedList = {
  /** Returns how many bytes the packed entries have grown by. */
  add(kept: Kept): number;
  length(): number;
  /** Unpacks as many entries as are taken. */
  read(from: number, count: number): Iterable<Kept>;
  find(id: number): Kept | undefined;
};

type Block = { readonly bytes: Buffer; readonly firstId: number; readonly start: number; readonly end: number };
type PackedEntry = readonly [entry: DiscoveryEntry, file: string | null];

function createPackedList(): PackedList {
  const blocks: Block[] = [];
  let last: Kept[] = [];
  let characters = 0;

  function pack(): number {
    const entries = last.map(({ entry, file }): PackedEntry => [entry, file === undefined ? null : packKnown(file)]);
    const bytes = deflateRawSync(JSON.stringify(entries), { level: 1 });
    const start = blocks.at(-1)?.end ?? 0;
    blocks.push({ bytes, firstId: last[0]!.entry.id, start, end: start + last.length });
    last = [];
    characters = 0;
    return bytes.length;
  }

  const length = () => (blocks.at(-1)?.end ?? 0) + last.length;

  return {
    add(kept) {
      last.push(kept);
      characters += kept.entry.path.length;
      return last.length >= BLOCK_ENTRIES || characters >= BLOCK_CHARACTERS ? pack() : 0;
    },
    length,
    *read(from, count) {
      const first = lastIndexUpTo(blocks, (block) => block.start, from);
      for (const block of blocks.slice(Math.max(0, first))) {
        if (block.start >= from + count) return;
        yield* unpack(block).slice(Math.max(0, from - block.start), from + count - block.start);
      }
      const packed = blocks.at(-1)?.end ?? 0;
      yield* last.slice(Math.max(0, from - packed), Math.max(0, from + count - packed));
    },
    find(id) {
      const block = blocks[lastIndexUpTo(blocks, ({ firstId }) => firstId, id)];
      const isLast = last.length > 0 && id >= last[0]!.entry.id;
      const among = isLast ? last : block === undefined ? [] : unpack(block);
      return among.find(({ entry }) => entry.id === id);
    },
  };
}

function unpack({ bytes }: Block): Kept[] {
  const entries: readonly PackedEntry[] = JSON.parse(inflateRawSync(bytes).toString());
  return entries.map(([entry, file]) => ({ entry, file: file === null ? undefined : unpackKnown(file) }));
}

/** The last block whose number is not above the given one; -1 if there is none. */
function lastIndexUpTo(blocks: readonly Block[], numberOf: (block: Block) => number, most: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numberOf(blocks[middle]!) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
