const FIRST_VALUES = 64;
/** Bytes of a character in UTF-8, at most. */
const MOST_BYTES = 3;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Texts, each once, with a number from 1. They are stored as bytes behind each other, because a map of a million texts takes
 * several times as much memory, and its objects slow the collection of garbage down.
 */
export class TextDictionary {
  #bytes = Buffer.alloc(FIRST_VALUES * 8);
  #ends = new Uint32Array(FIRST_VALUES);
  #count = 0;
  /** Open addressing: the number of a text, or 0. */
  #places = new Uint32Array(2 * FIRST_VALUES);
  #lastText: string | undefined;
  #lastNumber = 0;

  get size(): number {
    return this.#count;
  }

  /** Bytes that it takes. */
  get bytes(): number {
    return this.#bytes.length + this.#ends.byteLength + this.#places.byteLength;
  }

  /** The number of a text, which is added if it is new. */
  add(text: string): number {
    // Files that follow each other mostly have the same value.
    if (text === this.#lastText) return this.#lastNumber;
    this.#lastText = text;
    this.#lastNumber = this.#place(text);
    return this.#lastNumber;
  }

  text(number: number): string {
    return this.#bytes.toString('utf8', this.#start(number), this.#ends[number - 1]);
  }

  #place(text: string): number {
    const from = this.#start(this.#count + 1);
    this.#makeRoom(from + MOST_BYTES * text.length);
    const end = from + this.#bytes.write(text, from);
    const mask = this.#places.length - 1;
    let at = hash(this.#bytes, from, end) & mask;
    for (; this.#places[at] !== 0; at = (at + 1) & mask) {
      const known = this.#places[at]!;
      const start = this.#start(known);
      const length = this.#ends[known - 1]! - start;
      if (length === end - from && this.#bytes.compare(this.#bytes, from, end, start, start + length) === 0)
        return known;
    }
    this.#ends[this.#count] = end;
    this.#count += 1;
    this.#places[at] = this.#count;
    if (2 * this.#count >= this.#places.length) this.#rehash();
    return this.#count;
  }

  #start(number: number): number {
    return number < 2 ? 0 : this.#ends[number - 2]!;
  }

  #makeRoom(bytes: number): void {
    if (bytes > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(bytes, Math.ceil(this.#bytes.length * 1.5)));
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    if (this.#count < this.#ends.length) return;
    const ends = new Uint32Array(Math.ceil(this.#ends.length * 1.5));
    ends.set(this.#ends);
    this.#ends = ends;
  }

  #rehash(): void {
    const places = new Uint32Array(2 * this.#places.length);
    const mask = places.length - 1;
    for (let number = 1; number <= this.#count; number += 1) {
      let at = hash(this.#bytes, this.#start(number), this.#ends[number - 1]!) & mask;
      while (places[at] !== 0) at = (at + 1) & mask;
      places[at] = number;
    }
    this.#places = places;
  }
}

/** FNV-1a. */
function hash(bytes: Uint8Array, from: number, end: number): number {
  let value = FNV_OFFSET;
  for (let at = from; at < end; at += 1) value = Math.imul(value ^ bytes[at]!, FNV_PRIME);
  // The last bits depend on the last letters only.
  return (value ^ (value >>> 15)) >>> 0;
}
