import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { type CharacterSet, createCharacterSet, decodeLatin1 } from './characterSet.ts';
import { countValues } from './countValues.ts';
import { bytesOfValues, decodeNumbers, decodeStrings } from './decodeValue.ts';
import type { ElementRows, ElementTable, OmittedElements, TableElement } from './elementTable.ts';
import { PixelRepresentation, SpecificCharacterSet } from './tag.ts';
import { resolveChoice } from './vr.ts';

/** Values of elements by tag. Implemented by data sets and by the header of a scan. */
export interface Attributes {
  has(tag: number): boolean;
  /** The single VR by which a value is read; `UN` if the element is absent, or if nothing says what it is. */
  readAs(tag: number): string;
  /**
   * The first value as text without padding; undefined if the element is absent or empty. Text that is many times
   * longer than its VR allows is cut and ends with `…`.
   */
  string(tag: number): string | undefined;
  /**
   * The first values as text, at most `most`; empty if absent. There is no way to request all values, because an
   * element of a small file may hold millions. To find out whether there are more, request one more than needed.
   * A person name keeps its component groups: `Yamada^Tarou=山田^太郎`.
   */
  strings(tag: number, most: number): readonly string[];
  /** The first value as a number; undefined if absent, empty or not a number. Tags (AT) are numbers too. */
  number(tag: number): number | undefined;
  /**
   * The first values as numbers, with NaN for text that is not a number. Also works on OW, OF …, by the width of the
   * VR.
   */
  numbers(tag: number, most: number): readonly number[];
  /** The items of a sequence; empty if absent. */
  items(tag: number): readonly DataSet[];
  /** The value as stored, in the byte order of the data set, up to `most` bytes. */
  bytes(tag: number, most: number): Uint8Array | undefined;
}

export type DataElement = TableElement<DataSet>;

/** What all items of a sequence share. */
export type DataSetContext = {
  readonly source: ByteSource;
  readonly littleEndian: boolean;
  readonly table: ElementTable<DataSet>;
  /** The data set that contains the sequence of this item. */
  readonly parent?: DataSet;
};

/**
 * Elements in tag order, decoded on request. Long values and bulk data are read from the source on demand, so keep it
 * open while those are needed.
 */
export class DataSet implements Attributes {
  readonly context: DataSetContext;
  // No more fields than these, because an object may have one data set for every one or two elements.
  #first = 0;
  #count = 0;

  /** Empty until the elements are known. */
  constructor(context: DataSetContext) {
    this.context = context;
  }

  /** Called when the reader has reached the end of this data set. */
  settle({ first, count }: ElementRows, omitted: OmittedElements | undefined): void {
    this.#first = first;
    this.#count = count;
    if (omitted !== undefined) this.context.table.omitted.set(this, omitted);
  }

  get size(): number {
    return this.#count;
  }

  get omitted(): OmittedElements | undefined {
    return this.context.table.omitted.get(this);
  }

  *[Symbol.iterator](): Iterator<DataElement> {
    const end = this.#first + this.#count;
    for (let row = this.#first; row < end; row += 1) yield this.context.table.element(row);
  }

  element(tag: number): DataElement | undefined {
    const row = this.#find(tag);
    return row === undefined ? undefined : this.context.table.element(row);
  }

  has(tag: number): boolean {
    return this.#find(tag) !== undefined;
  }

  string(tag: number): string | undefined {
    const [first] = this.strings(tag, 1);
    return first === '' ? undefined : first;
  }

  strings(tag: number, most: number): readonly string[] {
    const vr = this.readAs(tag);
    // Must come before the bytes are read, because it may read from the source, which invalidates them.
    const context = this.#valueContext();
    const bytes = this.#beginning(tag, bytesOfValues(vr, most) + 1);
    return bytes === undefined ? [] : decodeStrings(bytes, vr, context, most);
  }

  number(tag: number): number | undefined {
    const [first] = this.numbers(tag, 1);
    return first === undefined || Number.isNaN(first) ? undefined : first;
  }

  numbers(tag: number, most: number): readonly number[] {
    const vr = this.readAs(tag);
    // Must come before the bytes are read, because it may read from the source, which invalidates them.
    const context = this.#valueContext();
    const bytes = this.#beginning(tag, bytesOfValues(vr, most) + 1);
    return bytes === undefined ? [] : decodeNumbers(bytes, vr, context, most);
  }

  /** Number of values of an element, without decoding them. */
  count(tag: number): number {
    const element = this.element(tag);
    return element === undefined ? 0 : countValues(this.context.source, element, this.readAs(tag));
  }

  items(tag: number): readonly DataSet[] {
    const row = this.#find(tag);
    return (row === undefined ? undefined : this.context.table.items(row)) ?? [];
  }

  bytes(tag: number, most: number): Uint8Array | undefined {
    // A copy, so that a caller that keeps one value does not keep the values of all other elements in memory.
    return this.#beginning(tag, most)?.slice();
  }

  /** The first bytes of a value, valid until the next read. */
  #beginning(tag: number, most: number): Uint8Array | undefined {
    const row = this.#findValue(tag);
    if (row === undefined) return undefined;
    const held = this.context.table.value(row);
    if (held !== undefined) return held.length > most ? held.subarray(0, most) : held;
    const { offset, length } = this.context.table.place(row);
    return this.context.source.read(offset, Math.min(length, most));
  }

  /** The row of an element that is not a sequence. */
  #findValue(tag: number): number | undefined {
    const row = this.#find(tag);
    return row === undefined || this.context.table.items(row) !== undefined ? undefined : row;
  }

  #find(tag: number): number | undefined {
    return this.context.table.find(tag, this.#first, this.#count);
  }

  readAs(tag: number): string {
    const row = this.#find(tag);
    const vr = row === undefined ? 'UN' : this.context.table.readAs(row);
    return vr.length === 2 ? vr : resolveChoice(vr, this.isSigned());
  }

  /** The character set in effect: that of this item's own Specific Character Set, or else of the enclosing data set. */
  get characterSet(): CharacterSet {
    const { parent, table } = this.context;
    if (parent !== undefined && !this.has(SpecificCharacterSet)) return parent.characterSet;
    const known = table.characterSets.get(this);
    if (known !== undefined) return known;
    const characterSet = createCharacterSet(
      parseCharacterSetTerms(this.#beginning(SpecificCharacterSet, MOST_TERM_BYTES) ?? new Uint8Array(0)),
    );
    table.characterSets.set(this, characterSet);
    return characterSet;
  }

  #valueContext(): { littleEndian: boolean; characterSet: CharacterSet } {
    return { littleEndian: this.context.littleEndian, characterSet: this.characterSet };
  }

  /** Whether the Pixel Representation in effect is 1. */
  isSigned(): boolean {
    if (this.has(PixelRepresentation)) return this.number(PixelRepresentation) === 1;
    return this.context.parent?.isSigned() ?? false;
  }
}

const MOST_TERM_BYTES = 1024;

/** The values of (0008,0005), which are always plain ASCII. */
export function parseCharacterSetTerms(bytes: Uint8Array): readonly string[] {
  const text = decodeLatin1(bytes.subarray(0, MOST_TERM_BYTES)).replaceAll('\0', ' ');
  return text.trim() === '' ? [] : text.split('\\').map((term) => term.trim());
}
