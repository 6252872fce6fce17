const SMALLEST_CHUNK = 256;
const LARGEST_CHUNK = 2 ** 20;

/** Stores the bytes of values in chunks that grow with the amount of data, so that no value is ever moved. */
export class ValueStore {
  readonly #chunks: Uint8Array[] = [];
  #used = 0;

  /** Returns the place: the chunk in its upper digits, the position in the lower. A long value gets its own chunk. */
  add(bytes: Uint8Array, from: number, length: number): number {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || this.#used + length > Math.min(chunk.length, LARGEST_CHUNK)) {
      const grown = Math.min((chunk?.length ?? SMALLEST_CHUNK / 2) * 2, LARGEST_CHUNK);
      chunk = new Uint8Array(Math.max(grown, length));
      this.#chunks.push(chunk);
      this.#used = 0;
    }
    const at = this.#used;
    // Most values are short, for which a loop is faster than the view that `set` would need.
    if (length <= 32) for (let index = 0; index < length; index += 1) chunk[at + index] = bytes[from + index] ?? 0;
    else chunk.set(bytes.subarray(from, from + length), at);
    this.#used += length;
    return (this.#chunks.length - 1) * LARGEST_CHUNK + at;
  }

  at(place: number, length: number): Uint8Array {
    const at = place % LARGEST_CHUNK;
    return this.#chunks[Math.floor(place / LARGEST_CHUNK)]?.subarray(at, at + length) ?? EMPTY;
  }
}

const EMPTY = new Uint8Array(0);
