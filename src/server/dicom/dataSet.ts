import type { ByteSource } from '../origins/byteSource.ts';
import { type CharacterSet, createCharacterSet, decodeLatin1 } from './characterSet.ts';
import { countValues } from './countValues.ts';
import { bytesOfValues, decodeNumbers, decodeStrings } from './decodeValue.ts';
import type { ElementRows, ElementTable } from './elementTable.ts';
import type { LimitFlagCode } from './readFlags.ts';
import { PixelRepresentation, SpecificCharacterSet } from './tag.ts';

/** Values of elements by tag. A data set and the header of a scan answer alike. */
export interface Attributes {
  has(tag: number): boolean;
  /**
   * The first value as text without padding; undefined when the element is absent or empty. Text that is many times as
   * long as its VR allows is cut, and ends in `…`.
   */
  string(tag: number): string | undefined;
  /**
   * The first values as text, so many at most; empty when absent. There is no way to ask for all: an element of a small
   * file may hold millions. Who must know whether there are more asks for one more.
   * A person name keeps its component groups: `Yamada^Tarou=山田^太郎`.
   */
  strings(tag: number, most: number): readonly string[];
  /** The first value as a number; undefined when absent, empty or not a number. Tags (AT) are numbers too. */
  number(tag: number): number | undefined;
  /** The first values as numbers, with NaN for text that is none. Works on OW, OF … too, by the width of the VR. */
  numbers(tag: number, most: number): readonly number[];
  /** The items of a sequence; empty when absent. */
  items(tag: number): readonly DataSet[];
  /** The value as it is stored, in the byte order of the data set, up to so many bytes. */
  bytes(tag: number, most: number): Uint8Array | undefined;
}

/** One element, where it lies and, unless it is long or bulk data, its bytes. */
export type DataElement = {
  readonly tag: number;
  /** As it is written; in implicit syntaxes as the dictionary has it, `UN` where it has none. */
  readonly vr: string;
  /** How to read the value: the VR, but the dictionary's for a UN of a known tag. */
  readonly readAs: string;
  /** Position of the value in the source. */
  readonly offset: number;
  /** Bytes of the value that exist. For undefined lengths: up to and including the delimiter. */
  readonly length: number;
  /** As the header says; 0xFFFFFFFF when undefined. */
  readonly declaredLength: number;
  readonly bytes?: Uint8Array;
  readonly items?: readonly DataSet[];
  /** With `items`: how many the sequence has in all, where not all were kept. */
  readonly itemCount?: number;
  /** Encapsulated data: number of fragments without the offset table, and their bytes in sum. */
  readonly fragments?: { readonly count: number; readonly bytes: number };
};

/** What all items of a sequence have in common. */
export type DataSetContext = {
  readonly source: ByteSource;
  readonly littleEndian: boolean;
  readonly table: ElementTable;
  /** The data set that the sequence of this item stands in. */
  readonly parent?: DataSet;
};

/** Elements that a limit of the reader left out at the end of a data set. */
export type OmittedElements = {
  /** Where it begins: the first of them, or the sequence in which reading ended. */
  readonly tag: number;
  /** Undefined when reading ended there, and nobody knows. */
  readonly count: number | undefined;
  readonly limit: LimitFlagCode;
};

/**
 * Elements in the order of their tags, decoded when asked for. Long values and bulk data are read from the source on
 * demand, so keep it open as long as those are wanted.
 */
export class DataSet implements Attributes {
  readonly context: DataSetContext;
  // No more fields than these: an object may have a data set for every element or two.
  #first = 0;
  #count = 0;

  /** Empty until the elements are known. */
  constructor(context: DataSetContext) {
    this.context = context;
  }

  /** The reader came to the end of this data set. */
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
    // First, because it may read, and then the bytes would be others.
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
    // First, because it may read, and then the bytes would be others.
    const context = this.#valueContext();
    const bytes = this.#beginning(tag, bytesOfValues(vr, most) + 1);
    return bytes === undefined ? [] : decodeNumbers(bytes, vr, context, most);
  }

  /** How many values an element has, without decoding them. */
  count(tag: number): number {
    const element = this.element(tag);
    return element === undefined ? 0 : countValues(this, element, this.readAs(tag));
  }

  items(tag: number): readonly DataSet[] {
    const row = this.#find(tag);
    return (row === undefined ? undefined : this.context.table.items(row)) ?? [];
  }

  bytes(tag: number, most: number): Uint8Array | undefined {
    // A copy: who keeps a value must not keep the values of all other elements with it.
    return this.#beginning(tag, most)?.slice();
  }

  /** The first bytes of a value, for the moment. */
  #beginning(tag: number, most: number): Uint8Array | undefined {
    const row = this.#findValue(tag);
    if (row === undefined) return undefined;
    const held = this.context.table.value(row);
    if (held !== undefined) return held.length > most ? held.subarray(0, most) : held;
    const { offset, length } = this.context.table.place(row);
    return this.context.source.read(offset, Math.min(length, most));
  }

  /** The row of an element that is no sequence. */
  #findValue(tag: number): number | undefined {
    const row = this.#find(tag);
    return row === undefined || this.context.table.items(row) !== undefined ? undefined : row;
  }

  #find(tag: number): number | undefined {
    return this.context.table.find(tag, this.#first, this.#count);
  }

  /** The one VR by which a value is read, the dictionary's choices resolved. */
  readAs(tag: number): string {
    const row = this.#find(tag);
    const vr = row === undefined ? 'UN' : this.context.table.readAs(row);
    return vr.length === 2 ? vr : resolveChoice(vr, this.isSigned());
  }

  /** In force here: this item's own Specific Character Set, else that of the data set around it. */
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

  /** Pixel Representation in force is 1. */
  isSigned(): boolean {
    if (this.has(PixelRepresentation)) return this.number(PixelRepresentation) === 1;
    return this.context.parent?.isSigned() ?? false;
  }
}

const MOST_TERM_BYTES = 1024;

/** The values of (0008,0005), which are plain ASCII whatever they say. */
export function parseCharacterSetTerms(bytes: Uint8Array): readonly string[] {
  const text = decodeLatin1(bytes.subarray(0, MOST_TERM_BYTES)).replaceAll('\0', ' ');
  return text.trim() === '' ? [] : text.split('\\').map((term) => term.trim());
}

/** `US or SS` by Pixel Representation; data of either width as words, as implicit syntaxes store it. PS3.5 A.1. */
export function resolveChoice(choice: string, signed: boolean): string {
  if (choice === 'US or SS') return signed ? 'SS' : 'US';
  return 'OW';
}
