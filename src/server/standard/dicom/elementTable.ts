import type { CharacterSet } from './characterSet.ts';
import type { LimitFlagCode } from './readFlags.ts';

/** One element: its position and, unless it is long or bulk data, its bytes. */
export type TableElement<Item> = {
  readonly tag: number;
  /** As written; in implicit syntaxes the VR of the dictionary, or `UN` if it has none. */
  readonly vr: string;
  /** The VR by which the value is read: the written VR, or that of the dictionary for a UN with a known tag. */
  readonly readAs: string;
  /** Position of the value in the source. */
  readonly offset: number;
  /** Number of bytes of the value that exist. For undefined lengths: up to and including the delimiter. */
  readonly length: number;
  /** As in the element header; 0xFFFFFFFF if undefined. */
  readonly declaredLength: number;
  readonly bytes?: Uint8Array;
  readonly items?: readonly Item[];
  /** With `items`: the total number of items in the sequence, if not all were kept. */
  readonly itemCount?: number;
  /** Encapsulated data: number of fragments without the offset table, and their total bytes. */
  readonly fragments?: { readonly count: number; readonly bytes: number };
};

/** Elements at the end of a data set that were left out because of a limit of the reader. */
export type OmittedElements = {
  /** Where the omission begins: the first omitted element, or the sequence in which reading ended. */
  readonly tag: number;
  /** Undefined if reading ended there, so that the number is unknown. */
  readonly count: number | undefined;
  readonly limit: LimitFlagCode;
};

/** The rows of a table that hold the elements of one data set. */
export type ElementRows = { readonly first: number; readonly count: number };

type Part<Item> =
  | { readonly items: readonly Item[]; readonly itemCount: number }
  | { readonly fragments: NonNullable<TableElement<Item>['fragments']> };

// The columns of a row.
const TAG = 0;
const VRS = 1;
const OFFSET = 2;
const LENGTH = 3;
const DECLARED_LENGTH = 4;
/** At least 0 if the value is held; NOT_HELD if it is not; otherwise a part, counted down from FIRST_PART. */
const HELD = 5;
const COLUMNS = 6;
const NOT_HELD = -1;
const FIRST_PART = -2;

const EMPTY_SEQUENCE: Part<never> = { items: [], itemCount: 0 };
const NO_ROWS = new Float64Array(0);
/** Small, because many tables hold only one sequence of a header, and there is one table for each. */
const FIRST_ROWS = 8;
const CODE = 0x10000;

/**
 * The elements of all data sets (`Item`) of one object. A row takes 48 bytes plus the bytes of the value; objects would take ten
 * times as much, which matters for a crafted header of half a million elements.
 *
 * Items end before the data set that contains them, so rows wait until their data set ends. Then all rows of the data
 * set are moved to adjacent places.
 */
export class ElementTable<Item> {
  #rows = NO_ROWS;
  #rowCount = 0;
  #waiting = NO_ROWS;
  #waitingCount = 0;
  readonly #parts: Part<Item>[] = [EMPTY_SEQUENCE];
  readonly #values = new ValueStore();
  // Properties that only a few data sets have.
  readonly omitted = new Map<Item, OmittedElements>();
  readonly characterSets = new Map<Item, CharacterSet>();

  /** Number of elements that wait for the end of their data set. */
  get waiting(): number {
    return this.#waitingCount;
  }

  /** Copies a value; returns the place to pass to `add`. */
  hold(bytes: Uint8Array, from: number, length: number): number {
    return this.#values.add(bytes, from, length);
  }

  /** `held` is the place returned by `hold`; if undefined, the value stays in the source. */
  add(element: Omit<TableElement<Item>, 'bytes'>, held = NOT_HELD): void {
    this.#waiting = withRoom(this.#waiting, this.#waitingCount + 1);
    const rows = this.#waiting;
    const at = this.#waitingCount * COLUMNS;
    rows[at + TAG] = element.tag;
    rows[at + VRS] = codeOf(element.vr) * CODE + codeOf(element.readAs);
    rows[at + OFFSET] = element.offset;
    rows[at + LENGTH] = element.length;
    rows[at + DECLARED_LENGTH] = element.declaredLength;
    rows[at + HELD] = held;
    const { items, itemCount = items?.length ?? 0, fragments } = element;
    if (items !== undefined) rows[at + HELD] = itemCount === 0 ? FIRST_PART : this.#addPart({ items, itemCount });
    else if (fragments !== undefined) rows[at + HELD] = this.#addPart({ fragments });
    this.#waitingCount += 1;
  }

  /** Removes the element that was added last. */
  removeLast(): void {
    this.#waitingCount -= 1;
  }

  /**
   * Sorts the waiting rows from the given one on by tag; of rows with the same tag, only the last is kept. Returns
   * whether there were such duplicates.
   */
  sortFrom(from: number): boolean {
    const rows = this.#waiting.slice(from * COLUMNS, this.#waitingCount * COLUMNS);
    const order = Array.from({ length: rows.length / COLUMNS }, (_, row) => row);
    const tagOf = (row: number): number => rows[row * COLUMNS + TAG] ?? 0;
    order.sort((a, b) => tagOf(a) - tagOf(b) || a - b);
    const last = order.filter((row, place) => tagOf(row) !== tagOf(order[place + 1] ?? -1));
    for (const [place, row] of last.entries()) {
      this.#waiting.set(rows.subarray(row * COLUMNS, (row + 1) * COLUMNS), (from + place) * COLUMNS);
    }
    this.#waitingCount = from + last.length;
    return last.length < order.length;
  }

  /** Called when the elements of a data set are complete: moves the waiting rows to their final place. */
  settleFrom(from: number): ElementRows {
    const count = this.#waitingCount - from;
    const first = this.#rowCount;
    this.#rowCount += count;
    this.#waitingCount = from;
    // A header with one long list and no items is the worst case, and is not copied.
    if (first === 0 && from === 0) [this.#rows, this.#waiting] = [this.#waiting, this.#rows];
    else this.#rows = copyRows(this.#waiting, { from, count, to: first, rows: this.#rows });
    return { first, count };
  }

  /** The row of a tag among the rows of a data set; undefined if absent. */
  find(tag: number, first: number, count: number): number | undefined {
    let low = first;
    let high = first + count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.#rows[middle * COLUMNS + TAG] ?? 0;
      if (found === tag) return middle;
      if (found < tag) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  element(row: number): TableElement<Item> {
    const vrs = this.#number(row, VRS);
    const tag = this.#number(row, TAG);
    const vr = vrOf(Math.floor(vrs / CODE));
    const readAs = vrOf(vrs % CODE);
    const { offset, length } = this.place(row);
    const declaredLength = this.#number(row, DECLARED_LENGTH);
    const bytes = this.value(row);
    // No spread for the common case: it would take longer than everything else here.
    if (bytes !== undefined) return { tag, vr, readAs, offset, length, declaredLength, bytes };
    return { tag, vr, readAs, offset, length, declaredLength, ...this.#partOf(row) };
  }

  /** The position and length of the value in the source. */
  place(row: number): { readonly offset: number; readonly length: number } {
    return { offset: this.#number(row, OFFSET), length: this.#number(row, LENGTH) };
  }

  /** The bytes of the value, if they are held. */
  value(row: number): Uint8Array | undefined {
    const held = this.#number(row, HELD);
    return held >= 0 ? this.#values.at(held, this.#number(row, LENGTH)) : undefined;
  }

  readAs(row: number): string {
    return vrOf(this.#number(row, VRS) % CODE);
  }

  items(row: number): readonly Item[] | undefined {
    const part = this.#partOf(row);
    return part !== undefined && 'items' in part ? part.items : undefined;
  }

  #partOf(row: number): Part<Item> | undefined {
    const held = this.#number(row, HELD);
    // Without the check, the place of a value would be looked up as the name of a property, which is slow.
    return held > FIRST_PART ? undefined : this.#parts[FIRST_PART - held];
  }

  #number(row: number, column: number): number {
    return this.#rows[row * COLUMNS + column] ?? 0;
  }

  #addPart(part: Part<Item>): number {
    this.#parts.push(part);
    return FIRST_PART - (this.#parts.length - 1);
  }
}

function withRoom(rows: Float64Array<ArrayBuffer>, count: number): Float64Array<ArrayBuffer> {
  if (count * COLUMNS <= rows.length) return rows;
  const larger = new Float64Array(Math.max(count * COLUMNS, FIRST_ROWS * COLUMNS, rows.length * 2));
  larger.set(rows);
  return larger;
}

/** Most data sets have few elements, for which a loop is faster than the views that `set` would need. */
function copyRows(
  source: Float64Array,
  { from, count, to, rows }: { from: number; count: number; to: number; rows: Float64Array<ArrayBuffer> },
): Float64Array<ArrayBuffer> {
  const target = withRoom(rows, to + count);
  const distance = (to - from) * COLUMNS;
  for (let at = from * COLUMNS; at < (from + count) * COLUMNS; at += 1) target[at + distance] = source[at] ?? 0;
  return target;
}

/** Choices of VR in the dictionary, used in implicit syntaxes. */
const CHOICES: readonly string[] = ['US or SS', 'US or OW', 'US or SS or OW', 'OB or OW'];

/** A VR is encoded by its two letters, a choice by its index, which is smaller than the code of any letter. */
function codeOf(vr: string): number {
  if (vr.length === 2) return vr.charCodeAt(0) * 0x100 + vr.charCodeAt(1);
  return CHOICES.indexOf(vr);
}

function vrOf(code: number): string {
  return CHOICES[code] ?? String.fromCharCode(code >> 8, code & 0xff);
}

const SMALLEST_CHUNK = 256;
const LARGEST_CHUNK = 2 ** 20;

/** Stores the bytes of values in chunks that grow with the amount of data, so that no value is ever moved. */
class ValueStore {
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
