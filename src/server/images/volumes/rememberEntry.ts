const MOST_ENTRIES = 256;

/** Keeps the entries that were added last. */
export function rememberEntry<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_ENTRIES && oldest !== undefined) map.delete(oldest);
}
