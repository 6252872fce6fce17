import { compareTexts } from '../../../shared/compareTexts.ts';
import { TextDictionary } from './textDictionary.ts';

/** A value in a table. */
export type CellValue = string | number | boolean | null;

export type ColumnKind = 'text' | 'number' | 'flag';

type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Decoded values are kept up to this number of different ones. */
const MOST_DECODED = 4_096;

/**
 * A column of a table: the different values, each once, and for each row the number of its value, 0 for NULL. Most columns of
 * headers have few different values, so that a row takes a byte.
 */
export class EncodedColumn {
  readonly #dictionary = new TextDictionary();
  #codes: Codes = new Uint8Array(0);
  #length = 0;
  #filled = 0;
  #hasTexts = false;
  #hasFlags = false;
  readonly #declared: ColumnKind | undefined;
  #decoded: CellValue[] = [];
  #ranks: { readonly ranks: Uint32Array; readonly inOrder: Uint32Array } | undefined;

  /** Without a kind, it is that of the values: numbers if all of them are. */
  constructor(declared?: ColumnKind) {
    this.#declared = declared;
  }

  /** Rows; those that were not set are NULL. */
  get length(): number {
    return this.#length;
  }

  /** Rows with a value. */
  get filled(): number {
    return this.#filled;
  }

  /** Number of different values. */
  get distinct(): number {
    return this.#dictionary.size;
  }

  get bytes(): number {
    return this.#dictionary.bytes + this.#codes.byteLength + (this.#ranks?.ranks.byteLength ?? 0) * 2;
  }

  get kind(): ColumnKind {
    if (this.#dictionary.size === 0) return this.#declared ?? 'text';
    if (this.#hasTexts) return 'text';
    return this.#hasFlags ? 'flag' : 'number';
  }

  set(row: number, value: CellValue): void {
    const code = value === null ? 0 : this.#add(value);
    this.#grow(row + 1, code);
    const before = this.#codes[row]!;
    if (before === 0 && code > 0) this.#filled += 1;
    else if (before > 0 && code === 0) this.#filled -= 1;
    this.#codes[row] = code;
    if (row >= this.#length) this.#length = row + 1;
  }

  /** Rows that are not set are NULL. */
  codeAt(row: number): number {
    return row < this.#length ? this.#codes[row]! : 0;
  }

  valueAt(row: number): CellValue {
    return this.valueOf(this.codeAt(row));
  }

  valueOf(code: number): CellValue {
    if (code === 0) return null;
    const known = this.#decoded[code];
    if (known !== undefined) return known;
    const value = this.#decode(code);
    if (code < MOST_DECODED) this.#decoded[code] = value;
    return value;
  }

  /** For each code its place in the order of the values, from 0; that of NULL is behind all others. */
  ranks(): Uint32Array {
    return this.#order().ranks;
  }

  /** The codes in the order of their values. */
  inOrder(): Uint32Array {
    return this.#order().inOrder;
  }

  #add(value: string | number | boolean): number {
    const isText = typeof value === 'string';
    if (isText && !this.#hasTexts) {
      // What were numbers are texts from now on.
      this.#decoded = [];
      this.#ranks = undefined;
    }
    if (isText) this.#hasTexts = true;
    else if (typeof value === 'boolean') this.#hasFlags = true;
    return this.#dictionary.add(String(value));
  }

  #decode(code: number): CellValue {
    const text = this.#dictionary.text(code);
    if (this.#hasTexts) return text;
    return this.#hasFlags ? text === 'true' : Number(text);
  }

  #grow(length: number, code: number): void {
    const isWide = code > largestCode(this.#codes);
    if (!isWide && length <= this.#codes.length) return;
    const room = length <= this.#codes.length ? this.#codes.length : Math.max(length, Math.ceil(this.#length * 1.25));
    const codes = createCodes(Math.max(code, this.#dictionary.size), room);
    codes.set(this.#codes.subarray(0, this.#length));
    this.#codes = codes;
  }

  #order(): { readonly ranks: Uint32Array; readonly inOrder: Uint32Array } {
    const count = this.#dictionary.size;
    if (this.#ranks?.inOrder.length === count) return this.#ranks;
    const values: CellValue[] = [null];
    for (let code = 1; code <= count; code += 1) values.push(this.#decode(code));
    const inOrder = Uint32Array.from({ length: count }, (_, at) => at + 1);
    inOrder.sort((a, b) => compareCells(values[a]!, values[b]!));
    const ranks = new Uint32Array(count + 1);
    for (let place = 0; place < count; place += 1) ranks[inOrder[place]!] = place;
    ranks[0] = count;
    this.#ranks = { ranks, inOrder };
    return this.#ranks;
  }
}

/** Both are of one kind. */
function compareCells(a: CellValue, b: CellValue): number {
  if (typeof a === 'string' || typeof b === 'string') return compareTexts(String(a), String(b));
  return Number(a) - Number(b);
}

function largestCode(codes: Codes): number {
  return 2 ** (8 * codes.BYTES_PER_ELEMENT) - 1;
}

function createCodes(largest: number, length: number): Codes {
  if (largest < 2 ** 8) return new Uint8Array(length);
  return largest < 2 ** 16 ? new Uint16Array(length) : new Uint32Array(length);
}
