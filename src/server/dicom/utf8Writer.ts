const PIECE_LENGTH = 16 * 1024;

/** Text that becomes UTF-8 while it is written, so that a long one is never there twice. */
export class Utf8Writer {
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(4 * PIECE_LENGTH);
  #length = 0;
  #piece = '';

  write(text: string): void {
    this.#piece += text;
    if (this.#piece.length >= PIECE_LENGTH) this.#encode();
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    this.#encode();
    return this.#bytes.subarray(0, this.#length);
  }

  #encode(): void {
    // A code unit takes three bytes at most.
    const needed = this.#length + this.#piece.length * 3;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#length += this.#encoder.encodeInto(this.#piece, this.#bytes.subarray(this.#length)).written;
    this.#piece = '';
  }
}
