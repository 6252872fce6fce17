import { hash } from 'node:crypto';

/** Words of a hash that are kept: two of ten million different paths have the same 96 bits once in 10^15 tables. */
const WORDS = 3;
/** Of the slots that are taken at most: finding one then takes two or three looks. */
const MOST_FULL = 0.7;

export type PathKey = Uint32Array;

/** SHA-256, because whoever names files must not be able to make one path stand for another. */
export function keyOfPath(path: string): PathKey {
  const digest = hash('sha256', path, 'buffer');
  return new Uint32Array(digest.buffer, digest.byteOffset, digest.length / Uint32Array.BYTES_PER_ELEMENT);
}

/** Numbers by path, each with a time, in 24 bytes for each place. It has room for a number of paths that is known before. */
export class PathTable {
  readonly #slots: number;
  readonly #keys: Uint32Array;
  /** Zero: the slot is free. */
  readonly #numbers: Uint32Array;
  readonly #times: Float64Array;

  constructor(most: number) {
    this.#slots = 2 ** Math.ceil(Math.log2(Math.max(2, most / MOST_FULL)));
    this.#keys = new Uint32Array(this.#slots * WORDS);
    this.#numbers = new Uint32Array(this.#slots);
    this.#times = new Float64Array(this.#slots);
  }

  get(key: PathKey): { readonly number: number; readonly time: number } | undefined {
    const slot = this.#slotOf(key);
    const number = this.#numbers[slot]!;
    return number === 0 ? undefined : { number: number - 1, time: this.#times[slot]! };
  }

  set(key: PathKey, number: number, time = Number.NaN): void {
    const slot = this.#slotOf(key);
    this.#numbers[slot] = number + 1;
    this.#times[slot] = time;
    for (let word = 0; word < WORDS; word += 1) this.#keys[slot * WORDS + word] = key[word]!;
  }

  /** The slot of the key, or the free one where it belongs. */
  #slotOf(key: PathKey): number {
    const keys = this.#keys;
    for (let slot = key[0]! & (this.#slots - 1); ; slot = (slot + 1) & (this.#slots - 1)) {
      if (this.#numbers[slot] === 0) return slot;
      const at = slot * WORDS;
      if (keys[at] === key[0] && keys[at + 1] === key[1] && keys[at + 2] === key[2]) return slot;
    }
  }
}
