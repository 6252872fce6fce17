/** Lists of integers of different lengths, concatenated: cheap to store, and to move between threads. */
export type Ragged = {
  /** Start of each list in `values`, followed by the end of the last one. */
  readonly starts: Uint32Array;
  readonly values: Int32Array;
};

export class RaggedBuilder {
  readonly #starts: number[] = [0];
  readonly #values: number[] = [];

  get count(): number {
    return this.#starts.length - 1;
  }

  add(values: Iterable<number>): void {
    for (const value of values) this.#values.push(value);
    this.#starts.push(this.#values.length);
  }

  build(): Ragged {
    return { starts: Uint32Array.from(this.#starts), values: Int32Array.from(this.#values) };
  }
}

/** One of the lists, as a view. */
export function listAt({ starts, values }: Ragged, index: number): Int32Array {
  return values.subarray(starts[index], starts[index + 1]);
}
