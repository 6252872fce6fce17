import type { RemoteBytes, ByteSpan } from './remoteMessages.ts';

/** Ranges of objects that were read, the least recently used ones leave first. */
export interface RangeCache {
  find(object: string, span: ByteSpan): RemoteBytes | undefined;
  add(object: string, span: ByteSpan, read: RemoteBytes): void;
  readonly bytes: number;
  /** Longer ranges are not kept. */
  readonly longest: number;
}

type Kept = { readonly from: number; readonly read: RemoteBytes };

/** What a range takes besides its bytes. */
const OVERHEAD = 512;

export function createRangeCache(budgetBytes: number): RangeCache {
  // In the order of use; a Map keeps the order of insertion.
  const kept = new Map<string, Kept>();
  const namesOf = new Map<string, Set<string>>();
  const longest = Math.max(0, Math.floor(budgetBytes / 4) - OVERHEAD);
  let bytes = 0;

  const remove = (object: string, name: string) => {
    const gone = kept.get(name);
    if (gone === undefined) return;
    kept.delete(name);
    bytes -= gone.read.bytes.length + OVERHEAD;
    const names = namesOf.get(object);
    names?.delete(name);
    if (names?.size === 0) namesOf.delete(object);
  };

  return {
    find(object, { from, to }) {
      for (const name of namesOf.get(object) ?? []) {
        const { from: start, read } = kept.get(name)!;
        const end = start + read.bytes.length;
        if (start > from || Math.min(to, read.state.size) > end) continue;
        const found = kept.get(name)!;
        kept.delete(name);
        kept.set(name, found);
        // A copy, because what is found is transferred to the thread that asks.
        return { bytes: read.bytes.slice(from - start, to - start), state: read.state };
      }
      return undefined;
    },
    add(object, { from, to }, read) {
      if (read.bytes.length > longest) return;
      const size = read.bytes.length + OVERHEAD;
      const name = `${object}\n${from}-${to}`;
      remove(object, name);
      kept.set(name, { from, read: { bytes: read.bytes.slice(), state: read.state } });
      const names = namesOf.get(object) ?? new Set();
      namesOf.set(object, names.add(name));
      bytes += size;
      for (const oldest of kept.keys()) {
        if (bytes <= budgetBytes) break;
        remove(oldest.slice(0, oldest.lastIndexOf('\n')), oldest);
      }
    },
    get bytes() {
      return bytes;
    },
    longest,
  };
}
