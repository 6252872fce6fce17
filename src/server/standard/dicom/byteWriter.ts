/** Collects bytes in the order in which they are written, in one byte order. */
export class ByteWriter {
  readonly #littleEndian: boolean;
  #buffer = new Uint8Array(256);
  #view = new DataView(this.#buffer.buffer);
  #length = 0;

  constructor(littleEndian: boolean) {
    this.#littleEndian = littleEndian;
  }

  uint8(value: number): void {
    this.#reserve(1);
    this.#view.setUint8(this.#length - 1, value);
  }

  uint16(value: number): void {
    this.#reserve(2);
    this.#view.setUint16(this.#length - 2, value, this.#littleEndian);
  }

  uint32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#length - 4, value, this.#littleEndian);
  }

  tag(tag: number): void {
    this.uint16(tag >>> 16);
    this.uint16(tag & 0xffff);
  }

  ascii(text: string): void {
    for (const character of text) this.uint8(character.charCodeAt(0));
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length - bytes.length);
  }

  toBytes(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }

  #reserve(count: number): void {
    this.#length += count;
    if (this.#length <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(this.#length, this.#buffer.length * 2));
    grown.set(this.#buffer);
    this.#buffer = grown;
    this.#view = new DataView(grown.buffer);
  }
}
