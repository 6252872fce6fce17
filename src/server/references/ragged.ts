/** Lists of integers of different lengths, one after the other: cheap to keep, and to move between threads. */
export type Ragged = {
  /** Where each list begins in `values`, and after the last one where it ends. */
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

/** One of the lists; no copy. */
export function listAt({ starts, values }: Ragged, index: number): Int32Array {
  return values.subarray(starts[index], starts[index + 1]);
}
