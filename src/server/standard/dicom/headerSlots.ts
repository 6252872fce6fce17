import { type CharacterSet, createCharacterSet } from './characterSet.ts';
import { type Attributes, type DataElement, DataSet, parseCharacterSetTerms } from './dataSet.ts';
import { resolveChoice } from './vr.ts';
import { bytesOfValues, decodeNumbers, decodeStrings } from './decodeValue.ts';
import { dictionaryVr } from './dictionary.ts';
import { type MaskedPatient, maskPatient, maskRuleOf, maskValue } from '../../bytes/masking/maskElement.ts';
import { findMasker, type Masker } from '../../bytes/masking/masker.ts';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { ElementTable } from './elementTable.ts';
import * as Tag from './tag.ts';
import { isRegisteredUid } from './uids.ts';

/** The value of one wanted element, in the current file or in the last file that had it. */
export type Slot = {
  readonly tag: number;
  /** The VR of the dictionary, for files that do not write one. */
  readonly known: string | undefined;
  /** Number of the file that the value is from. */
  file: number;
  vr: string;
  bytes: Uint8Array;
  element: DataElement | undefined;
  /** Decoded values, and the number that was requested. */
  strings: readonly string[] | undefined;
  mostStrings: number;
  numbers: readonly number[] | undefined;
  mostNumbers: number;
};

const EMPTY = new Uint8Array(0);
const NO_TEXT: readonly string[] = [];
const NO_NUMBERS: readonly number[] = [];

/**
 * Holds the wanted elements of one file after another. Files of a series repeat most of their values: if the bytes
 * equal those of the previous file, its decoded value is returned again. This saves decoding and keeps one string in
 * memory for thousands of files.
 */
export class HeaderSlots implements Attributes {
  /** The wanted tags in ascending order, followed by a sentinel that no element has. */
  readonly tags: Float64Array;
  /** The slots of these tags, in the same order. */
  readonly inOrder: readonly Slot[];
  readonly #slots = new Map<number, Slot>();
  #file = 0;
  #source: ByteSource | undefined;
  #characterSetBytes: Uint8Array = EMPTY;
  #characterSet: CharacterSet = createCharacterSet([]);
  #signed = false;
  readonly #masker: Masker | undefined;
  #patient: MaskedPatient | undefined;

  /** `isOriginal`: values as stored, even in a masked run. Nothing of them may leave the thread. */
  constructor(wanted: Iterable<number>, isOriginal = false) {
    this.#masker = isOriginal ? undefined : findMasker();
    for (const tag of wanted) {
      const decoded = { strings: undefined, mostStrings: 0, numbers: undefined, mostNumbers: 0 };
      const empty = { file: 0, vr: '', bytes: EMPTY, element: undefined, ...decoded };
      this.#slots.set(tag, { tag, known: dictionaryVr(tag), ...empty });
    }
    this.inOrder = [...this.#slots.values()].toSorted((a, b) => a.tag - b.tag);
    this.tags = Float64Array.from([...this.inOrder.map(({ tag }) => tag), Infinity]);
  }

  /** Starts another file, whose values are not known yet. */
  begin(source: ByteSource): void {
    this.#file += 1;
    this.#source = source;
  }

  /**
   * Called when all elements are taken. Decoded values of earlier files are kept only if they would be decoded the same
   * way.
   */
  finish(): void {
    this.#useCharacterSet(this.#present(Tag.SpecificCharacterSet)?.bytes ?? EMPTY);
    this.#useSign(this.#present(Tag.PixelRepresentation)?.bytes[0] === 1);
    if (this.#masker !== undefined) this.#usePatient(this.#masker);
  }

  /** In a masked run, the patient of the current file; undefined if the id has not been taken yet. */
  findPatient(): MaskedPatient | undefined {
    const id = this.#present(Tag.PatientID);
    if (this.#masker === undefined || id === undefined) return undefined;
    return maskPatient(this.#masker, id.bytes, this.#present(Tag.PatientName)?.bytes);
  }

  get isOriginal(): boolean {
    return this.#masker === undefined;
  }

  /** Discards the values of earlier files. */
  forget(): void {
    for (const slot of this.inOrder) {
      slot.file = 0;
      slot.strings = undefined;
      slot.numbers = undefined;
    }
  }

  /** Takes the value at index `at` of `window`; `vr` is undefined in implicit syntaxes. */
  takeValue(slot: Slot, window: Uint8Array, at: number, length: number, vr: string | undefined): void {
    const written = vr ?? slot.known ?? 'UN';
    slot.file = this.#file;
    slot.element = undefined;
    if (slot.vr !== written || !isEqualAt(slot.bytes, window, at, length)) {
      slot.vr = written;
      slot.bytes = window.slice(at, at + length);
      slot.strings = undefined;
      slot.numbers = undefined;
    }
  }

  /** Takes an element from the full reader: a sequence, or data that stays in the source. */
  takeElement(slot: Slot, element: DataElement): void {
    slot.file = this.#file;
    slot.element = element;
    slot.vr = element.vr;
    slot.bytes = EMPTY;
    slot.strings = undefined;
    slot.numbers = undefined;
  }

  /** A data set with the attributes that items inherit. */
  toParent(source: ByteSource): DataSet {
    const table = new ElementTable<DataSet>();
    for (const tag of [Tag.SpecificCharacterSet, Tag.PixelRepresentation]) {
      const slot = this.#present(tag);
      if (slot === undefined) continue;
      const { vr, bytes } = slot;
      const place = { offset: 0, length: bytes.length, declaredLength: bytes.length };
      table.add({ tag, vr, readAs: vr, ...place }, table.hold(bytes, 0, bytes.length));
    }
    const dataSet = new DataSet({ source, littleEndian: true, table });
    dataSet.settle(table.settleFrom(0), undefined);
    return dataSet;
  }

  has(tag: number): boolean {
    return this.#present(tag) !== undefined;
  }

  readAs(tag: number): string {
    const slot = this.#present(tag);
    if (slot === undefined) return 'UN';
    return slot.element?.items === undefined ? this.#readAs(slot) : 'SQ';
  }

  string(tag: number): string | undefined {
    const first = this.strings(tag, 1)[0];
    return first === '' ? undefined : first;
  }

  strings(tag: number, most: number): readonly string[] {
    const slot = this.#present(tag);
    if (slot === undefined || slot.element?.items !== undefined) return NO_TEXT;
    if (slot.strings !== undefined && slot.mostStrings === most) return slot.strings;
    const vr = this.#readAs(slot);
    slot.strings = decodeStrings(this.#beginning(slot, bytesOfValues(vr, most) + 1), vr, this.#context(), most);
    slot.mostStrings = most;
    return slot.strings;
  }

  number(tag: number): number | undefined {
    const first = this.numbers(tag, 1)[0];
    return first === undefined || Number.isNaN(first) ? undefined : first;
  }

  numbers(tag: number, most: number): readonly number[] {
    const slot = this.#present(tag);
    if (slot === undefined || slot.element?.items !== undefined) return NO_NUMBERS;
    if (slot.numbers !== undefined && slot.mostNumbers === most) return slot.numbers;
    const vr = this.#readAs(slot);
    slot.numbers = decodeNumbers(this.#beginning(slot, bytesOfValues(vr, most) + 1), vr, this.#context(), most);
    slot.mostNumbers = most;
    return slot.numbers;
  }

  items(tag: number): readonly DataSet[] {
    return this.#present(tag)?.element?.items ?? [];
  }

  bytes(tag: number, most: number): Uint8Array | undefined {
    const slot = this.#present(tag);
    if (slot === undefined || slot.element?.items !== undefined) return undefined;
    return this.#beginning(slot, most).slice();
  }

  #present(tag: number): Slot | undefined {
    const slot = this.#slots.get(tag);
    return slot?.file === this.#file ? slot : undefined;
  }

  /** The first bytes of a value, valid until the next read. */
  #beginning(slot: Slot, most: number): Uint8Array {
    const { element } = slot;
    const held = element === undefined ? this.#shown(slot) : element.bytes;
    if (held !== undefined) return held.length > most ? held.subarray(0, most) : held;
    if (element === undefined) return EMPTY;
    return this.#source?.read(element.offset, Math.min(element.length, most)) ?? EMPTY;
  }

  /** The value, or what is in its place in a masked run. */
  #shown({ tag, vr, known, bytes }: Slot): Uint8Array {
    if (this.#masker === undefined) return bytes;
    const rule = maskRuleOf(tag, { vr, known });
    if (rule === 'keep') return bytes;
    return rule === 'remove'
      ? EMPTY
      : maskValue(this.#masker, { rule, bytes, patient: this.#patient, isRegisteredUid });
  }

  #readAs({ vr, known }: Slot): string {
    const readAs = vr === 'UN' ? (known ?? vr) : vr;
    return readAs.length === 2 ? readAs : resolveChoice(readAs, this.#signed);
  }

  #context(): { littleEndian: boolean; characterSet: CharacterSet } {
    return { littleEndian: true, characterSet: this.#characterSet };
  }

  /** The same bytes are different characters in another character set. */
  #useCharacterSet(bytes: Uint8Array): void {
    if (isEqualAt(this.#characterSetBytes, bytes, 0, bytes.length)) return;
    this.#characterSetBytes = bytes;
    this.#characterSet = createCharacterSet(parseCharacterSetTerms(bytes));
    for (const slot of this.inOrder) slot.strings = undefined;
  }

  /** The same dates are moved to others for another patient. */
  #usePatient(masker: Masker): void {
    const patient = maskPatient(masker, this.#present(Tag.PatientID)?.bytes, this.#present(Tag.PatientName)?.bytes);
    if (patient.token === this.#patient?.token) return;
    this.#patient = patient;
    for (const slot of this.inOrder) slot.strings = undefined;
  }

  /** The same bytes are different numbers if their signedness differs. */
  #useSign(signed: boolean): void {
    if (signed === this.#signed) return;
    this.#signed = signed;
    for (const slot of this.inOrder) {
      slot.strings = undefined;
      slot.numbers = undefined;
    }
  }
}

function isEqualAt(value: Uint8Array, window: Uint8Array, at: number, length: number): boolean {
  if (value.length !== length) return false;
  for (let index = 0; index < length; index += 1) if (value[index] !== window[at + index]) return false;
  return true;
}
