import type { CopyPiece } from './copyTasks.ts';
import type { Blank } from './streamComments.ts';

const CHUNK = 64 * 1024;
/** Shorter parts of a source are copied at once. */
const SHORT = 64 * 1024;

/** Where four bytes of a length are written later. */
export type LengthPlace = { readonly chunk: Uint8Array; readonly at: number; readonly from: number };

type StoredOptions = { readonly isInflated: boolean; readonly blanks?: readonly Blank[] };

/** Collects what a copy consists of: bytes that are held, and parts of the source that are read when they are written. */
export class PieceList {
  readonly #littleEndian: boolean;
  readonly #mostHeld: number;
  readonly #pieces: CopyPiece[] = [];
  #chunk = new Uint8Array(CHUNK);
  #used = 0;
  #held = 0;
  #length = 0;

  /** Throws a RangeError when more than `mostHeld` bytes are to be held. */
  constructor(littleEndian: boolean, mostHeld: number) {
    this.#littleEndian = littleEndian;
    this.#mostHeld = mostHeld;
  }

  /** Bytes of the copy so far. */
  get length(): number {
    return this.#length;
  }

  /** Copies the bytes. */
  bytes(bytes: Uint8Array): void {
    this.#hold(bytes.length).set(bytes);
  }

  uint16(value: number): void {
    const bytes = this.#hold(2);
    new DataView(bytes.buffer, bytes.byteOffset).setUint16(0, value, this.#littleEndian);
  }

  uint32(value: number): void {
    const bytes = this.#hold(4);
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(0, value, this.#littleEndian);
  }

  tag(tag: number): void {
    this.uint16(tag >>> 16);
    this.uint16(tag & 0xffff);
  }

  /** The length of what follows, up to the call of `setLength`. */
  lengthPlace(): LengthPlace {
    const bytes = this.#hold(4);
    return { chunk: bytes, at: 0, from: this.#length };
  }

  setLength({ chunk, at, from }: LengthPlace): void {
    const view = new DataView(chunk.buffer, chunk.byteOffset);
    view.setUint32(at, this.#length - from, this.#littleEndian);
  }

  /** A part of the source. */
  stored(offset: number, length: number, { isInflated, blanks = [] }: StoredOptions): void {
    if (length === 0) return;
    this.#close();
    this.#pieces.push({ kind: 'stored', offset, length, isInflated, blanks });
    this.#length += length;
  }

  /** Frames that are decoded, of so many bytes together. */
  frames(length: number): void {
    this.#close();
    this.#pieces.push({ kind: 'frames' });
    this.#length += length;
  }

  isShort(length: number): boolean {
    return length <= SHORT;
  }

  /** All pieces. Nothing can be added afterwards. */
  finish(): readonly CopyPiece[] {
    this.#close();
    return this.#pieces;
  }

  #hold(count: number): Uint8Array {
    this.#held += count;
    if (this.#held > this.#mostHeld) throw new RangeError(`the header takes more than ${this.#mostHeld} bytes`);
    if (this.#used + count > this.#chunk.length) {
      this.#close();
      this.#chunk = new Uint8Array(Math.max(CHUNK, count));
    }
    const bytes = this.#chunk.subarray(this.#used, this.#used + count);
    this.#used += count;
    this.#length += count;
    return bytes;
  }

  #close(): void {
    if (this.#used > 0) this.#pieces.push({ kind: 'bytes', bytes: this.#chunk.subarray(0, this.#used) });
    this.#chunk = this.#chunk.subarray(this.#used);
    this.#used = 0;
  }
}
