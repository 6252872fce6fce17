const PIECE_LENGTH = 64 * 1024;

/** Encodes text as UTF-8 while it is written, so that a long text is never held as one string. */
export class Utf8Writer {
  readonly #encoder = new TextEncoder();
  readonly #pieces: Uint8Array[] = [];
  #text = '';

  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE_LENGTH) this.#encode();
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    this.#encode();
    const bytes = new Uint8Array(this.#pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }

  #encode(): void {
    this.#pieces.push(this.#encoder.encode(this.#text));
    this.#text = '';
  }
}
