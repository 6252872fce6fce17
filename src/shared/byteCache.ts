/** Keeps values up to a total of bytes; the least recently used goes first. */
export type ByteCache<Value> = {
  readonly get: (key: string) => Value | undefined;
  /**
   * A value larger than the whole budget is not kept. Give only values that own their memory: a small view pins all of
   * the buffer that it looks into, and `bytes` would be a lie.
   */
  readonly set: (key: string, value: Value, bytes: number) => void;
  readonly delete: (key: string) => void;
  /** Forgets every key that begins so, such as all frames of a file that has changed. */
  readonly deletePrefix: (prefix: string) => void;
  readonly clear: () => void;
  readonly bytes: () => number;
  readonly count: () => number;
};

/** What an entry costs beside its value: key, Map slot, object. */
const ENTRY_BYTES = 256;

/** `onRemove` is for values that hold more than memory of their own, such as pictures that must be closed. */
export function createByteCache<Value>(
  budgetBytes: number,
  onRemove: (value: Value) => void = () => {},
): ByteCache<Value> {
  // The order of a Map is the order of insertion: what was used last stands last.
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
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      // Not the key that was asked with: each time another string would live as long as the entry.
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
    deletePrefix(prefix) {
      for (const key of entries.keys()) if (key.startsWith(prefix)) remove(key);
    },
    clear() {
      for (const key of entries.keys()) remove(key);
    },
    bytes: () => held,
    count: () => entries.size,
  };
}
