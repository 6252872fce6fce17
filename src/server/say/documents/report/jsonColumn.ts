import type { JsonColumn } from './reportTasks.ts';

/** Collects the texts of a `JsonColumn`. */
export class JsonColumnBuilder {
  readonly #encoder = new TextEncoder();
  readonly #starts: number[] = [0];
  #bytes = new Uint8Array(64 * 1024);
  #end = 0;

  /** Undefined for none. */
  add(text: string | undefined): void {
    if (text !== undefined) this.#append(text);
    this.#starts.push(this.#end);
  }

  get byteLength(): number {
    return this.#end;
  }

  build(): JsonColumn {
    return { bytes: this.#bytes.slice(0, this.#end), starts: Uint32Array.from(this.#starts) };
  }

  #append(text: string): void {
    // UTF-8 takes at most three bytes for each unit of UTF-16.
    const needed = this.#end + 3 * text.length;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#end));
      this.#bytes = larger;
    }
    this.#end += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#end)).written;
  }
}
