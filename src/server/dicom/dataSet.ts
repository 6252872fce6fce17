import type { ByteSource } from './byteSource.ts';
import { type CharacterSet, createCharacterSet } from './characterSet.ts';
import { decodeNumbers, decodeStrings } from './decodeValue.ts';
import { PixelRepresentation, SpecificCharacterSet } from './tag.ts';

/** Values of elements by tag. A data set and the header of a scan answer alike. */
export interface Attributes {
  has(tag: number): boolean;
  /** The first value as text without padding; undefined when the element is absent or empty. */
  string(tag: number): string | undefined;
  /** All values as text; empty when absent. A person name keeps its component groups: `Yamada^Tarou=山田^太郎`. */
  strings(tag: number): readonly string[];
  /** The first value as a number; undefined when absent, empty or not a number. Tags (AT) are numbers too. */
  number(tag: number): number | undefined;
  /** All values as numbers, with NaN for text that is none. Works on OW, OF … too, by the width of the VR. */
  numbers(tag: number): readonly number[];
  /** The items of a sequence; empty when absent. */
  items(tag: number): readonly DataSet[];
  /** The value as it is stored, in the byte order of the data set. */
  bytes(tag: number): Uint8Array | undefined;
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

export type DataSetContext = {
  readonly source: ByteSource;
  readonly littleEndian: boolean;
  /** The data set that the sequence of this item stands in. */
  readonly parent?: DataSet;
};

/**
 * Elements in the order of their tags, decoded when asked for. Long values and bulk data are read from the source on
 * demand, so keep it open as long as those are wanted.
 */
export class DataSet implements Attributes {
  readonly context: DataSetContext;
  readonly #elements: readonly DataElement[];
  #characterSet: CharacterSet | undefined;

  /** `elements` sorted by tag, without repeats. */
  constructor(context: DataSetContext, elements: readonly DataElement[]) {
    this.context = context;
    this.#elements = elements;
  }

  get size(): number {
    return this.#elements.length;
  }

  [Symbol.iterator](): Iterator<DataElement> {
    return this.#elements[Symbol.iterator]();
  }

  element(tag: number): DataElement | undefined {
    let low = 0;
    let high = this.#elements.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const element = this.#elements[middle];
      if (element === undefined || element.tag === tag) return element;
      if (element.tag < tag) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  has(tag: number): boolean {
    return this.element(tag) !== undefined;
  }

  string(tag: number): string | undefined {
    const [first] = this.strings(tag);
    return first === '' ? undefined : first;
  }

  strings(tag: number): readonly string[] {
    const bytes = this.bytes(tag);
    return bytes === undefined ? [] : decodeStrings(bytes, this.readAs(tag), this.#valueContext());
  }

  number(tag: number): number | undefined {
    const [first] = this.numbers(tag);
    return first === undefined || Number.isNaN(first) ? undefined : first;
  }

  numbers(tag: number): readonly number[] {
    const bytes = this.bytes(tag);
    return bytes === undefined ? [] : decodeNumbers(bytes, this.readAs(tag), this.#valueContext());
  }

  items(tag: number): readonly DataSet[] {
    return this.element(tag)?.items ?? [];
  }

  bytes(tag: number): Uint8Array | undefined {
    const element = this.element(tag);
    if (element === undefined || element.items !== undefined) return undefined;
    return element.bytes ?? this.context.source.read(element.offset, element.length).slice();
  }

  /** The one VR by which a value is read, the dictionary's choices resolved. */
  readAs(tag: number): string {
    const vr = this.element(tag)?.readAs ?? 'UN';
    return vr.length === 2 ? vr : resolveChoice(vr, this.isSigned());
  }

  /** In force here: this item's own Specific Character Set, else that of the data set around it. */
  get characterSet(): CharacterSet {
    if (this.#characterSet !== undefined) return this.#characterSet;
    const { parent } = this.context;
    const bytes = this.bytes(SpecificCharacterSet);
    this.#characterSet =
      bytes === undefined && parent !== undefined
        ? parent.characterSet
        : createCharacterSet(parseCharacterSetTerms(bytes ?? new Uint8Array(0)));
    return this.#characterSet;
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

/** The values of (0008,0005), which are plain ASCII whatever they say. */
export function parseCharacterSetTerms(bytes: Uint8Array): readonly string[] {
  const text = String.fromCharCode(...bytes.subarray(0, 1024)).replaceAll('\0', ' ');
  return text.trim() === '' ? [] : text.split('\\').map((term) => term.trim());
}

/** `US or SS` by Pixel Representation; data of either width as words, as implicit syntaxes store it. PS3.5 A.1. */
export function resolveChoice(choice: string, signed: boolean): string {
  if (choice === 'US or SS') return signed ? 'SS' : 'US';
  return 'OW';
}
