const PART_SIZE = 1024;

/**
 * Values by number, such as the index of a file. A Map of 100,000 entries copies all of them whenever it grows, which
 * blocks the page for longer than an animation frame; this grows in parts.
 */
export interface NumberTable<T> {
  find(key: number): T | undefined;
  set(key: number, value: T): void;
  clear(): void;
}

export function createNumberTable<T>(): NumberTable<T> {
  const parts = new Map<number, T[]>();
  return {
    find: (key) => parts.get(partOf(key))?.[key % PART_SIZE],
    set(key, value) {
      const known = parts.get(partOf(key));
      const part = known ?? [];
      if (known === undefined) parts.set(partOf(key), part);
      part[key % PART_SIZE] = value;
    },
    clear: () => parts.clear(),
  };
}

function partOf(key: number): number {
  return Math.floor(key / PART_SIZE);
}
