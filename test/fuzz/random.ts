/** Random numbers that depend only on the seed and the number. */
export type Random = {
  /** From 0 up to, but not including, `end`. */
  readonly below: (end: number) => number;
  readonly pick: <Value>(values: readonly Value[]) => Value;
  readonly chance: (share: number) => boolean;
  readonly bytes: (count: number) => Uint8Array;
};

/** Each number has its own sequence, so that a case can be repeated without the cases before it. */
export function createRandom(seed: number, number = 0): Random {
  let state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca77);
  // mulberry32: one word of state is enough for the few draws of one case.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    pick(values) {
      if (values.length === 0) throw new Error('there is nothing to pick from');
      return values[below(values.length)]!;
    },
    chance: (share) => next() < share,
    bytes: (count) => Uint8Array.from({ length: count }, () => below(256)),
  };
}
