/** Keeps values up to a total number of bytes and evicts the least recently used first. */
export type ByteCache<Value> = {
  readonly budgetBytes: number;
  readonly get: (key: string) => Value | undefined;
  /**
   * A value larger than the whole budget is not kept. Values must own their memory: a small view keeps its whole buffer
   * alive, so `bytes` would be too low.
   */
  readonly set: (key: string, value: Value, bytes: number) => void;
  readonly delete: (key: string) => void;
  readonly clear: () => void;
  readonly bytes: () => number;
  readonly count: () => number;
};

/** Cost of an entry in addition to its value: key, Map slot, object. */
const ENTRY_BYTES = 256;

/** `onRemove` is for values that hold resources other than memory, such as pictures that must be closed. */
export function createByteCache<Value>(
  budgetBytes: number,
  onRemove: (value: Value) => void = () => {},
): ByteCache<Value> {
  // A Map iterates in insertion order, so the most recently used entry is last.
  const entries = new Map<string, { readonly key: string; readonly value: Value; readonly bytes: number }>();
  let held = 0;

  const remove = (key: string) => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    held -= entry.bytes;
    onRemove(entry.value);
  };

  return {
    budgetBytes,
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      // Reinserts the stored key, not the caller's, which would keep another string alive as long as the entry.
      entries.set(entry.key, entry);
      return entry.value;
    },
    set(key, value, valueBytes) {
      remove(key);
      const bytes = valueBytes + ENTRY_BYTES;
      if (bytes > budgetBytes) {
        onRemove(value);
        return;
      }
      for (const oldest of entries.keys()) {
        if (held + bytes <= budgetBytes) break;
        remove(oldest);
      }
      entries.set(key, { key, value, bytes });
      held += bytes;
    },
    delete: remove,
    clear() {
      for (const key of entries.keys()) remove(key);
    },
    bytes: () => held,
    count: () => entries.size,
  };
}
