import { type CopyOptions, copyRuleOf, type CopyRule } from '../../bytes/masking/copyRule.ts';
import { isNumeric, type MaskedPatient, maskValue, profileActionOf } from '../../bytes/masking/maskElement.ts';
import { cleanDescriptor } from '../../bytes/masking/cleanDescriptor.ts';
import { isSafeCreator, isSafePrivate, isSafeValue } from '../../bytes/masking/safePrivate.ts';
import type { Masker } from '../../bytes/masking/masker.ts';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { dictionaryVr, isPrivate } from '../../standard/dicom/dictionary.ts';
import { ElementCursor, UNDEFINED_LENGTH } from '../../standard/dicom/elementCursor.ts';
import { walkEncapsulated } from '../../standard/dicom/encapsulated.ts';
import { isPixelData } from '../../standard/dicom/pixelElement.ts';
import { READ_LIMITS } from '../../standard/dicom/readPlan.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { isRegisteredUid } from '../../standard/dicom/uids.ts';
import { isKnownVrCode, vrCodeOf, vrOfCode } from '../../standard/dicom/vrCodes.ts';
import { vrTraits } from '../../standard/dicom/vr.ts';
import { NotWhole } from './notWhole.ts';
import { findComments } from './streamComments.ts';
import type { PieceList } from './pieceList.ts';

export type Rewriting = {
  readonly source: ByteSource;
  readonly position: number;
  readonly explicit: boolean;
  readonly littleEndian: boolean;
  readonly isInflated: boolean;
  readonly masker: Masker;
  readonly patient: MaskedPatient;
  readonly options: CopyOptions;
  /** Words of the patient, in small letters. */
  readonly ownWords: ReadonlySet<string>;
  /** Elements at the top level that are put in place of those of the file, in the order of their tags. */
  readonly added: readonly AddedElement[];
  /** Written in place of the stored pixels. */
  readonly frameBytes: number | undefined;
  readonly out: PieceList;
  readonly throwIfCancelled: () => void;
};

/** An element, and its value in the encoding of the data set. Items of sequences have a defined length. */
export type AddedElement = {
  readonly tag: number;
  readonly vr: string;
  readonly value: Uint8Array | readonly (readonly AddedElement[])[];
};

/** Copies a data set by the rules of a copy. Throws NotWhole if it cannot be read to its end for certain. */
export function rewriteDataSet(rewriting: Rewriting): void {
  new Rewriter(rewriting).run();
}

type PrivateValue = {
  readonly tag: number;
  readonly vr: string;
  readonly valueOffset: number;
  readonly length: number;
};

type Level = {
  readonly end: number;
  /** Whether its length is defined. */
  readonly bounded: boolean;
  readonly explicit: boolean;
  readonly littleEndian: boolean;
  readonly depth: number;
  /** Whether its texts are all replaced. */
  readonly isReplaced: boolean;
  /** Whether it is read, and not copied. */
  readonly isDropped: boolean;
  /** Creators of private blocks with elements that are kept, by group and block. */
  readonly creators: Map<number, string>;
};

const SQ = vrCodeOf('SQ');
const UN = vrCodeOf('UN');
const OB = vrCodeOf('OB');
const OW = vrCodeOf('OW');
const MOST_ELEMENTS = 2_000_000;
/** Longer values are masked by their length alone, but numbers are read to their end. */
const LONG = 64 * 1024;
const CANCEL_STEP = 1024;
const FIXED: Partial<Record<CopyRule, string>> = {
  fixed_date: '19000101',
  fixed_time: '000000',
  fixed_date_time: '19000101000000',
};

class Rewriter {
  readonly #given: Rewriting;
  readonly #cursor: ElementCursor;
  readonly #out: PieceList;
  readonly #added: AddedElement[];
  #elements = 0;

  constructor(given: Rewriting) {
    this.#given = given;
    this.#cursor = new ElementCursor(given.source);
    this.#out = given.out;
    this.#added = [...given.added];
  }

  run(): void {
    const { position, explicit, littleEndian } = this.#given;
    const root: Level = {
      end: Infinity,
      bounded: false,
      explicit,
      littleEndian,
      depth: 0,
      isReplaced: false,
      isDropped: false,
      creators: new Map(),
    };
    let at = position;
    let count = 0;
    while (this.#cursor.readHeader(at, explicit, littleEndian)) {
      const { tag } = this.#cursor;
      // Zeros after the last element fill up a block of a tape or a network.
      if (tag === 0 && count > 0) break;
      count += 1;
      at = this.#copyElement(at, root);
    }
    this.#requireZeros(at);
    this.#addBefore(Infinity);
  }

  /** Nothing but padding may follow: bytes that are no element would be left out. */
  #requireZeros(start: number): void {
    for (let at = start; ; at += LONG) {
      const bytes = this.#read(at, LONG);
      if (bytes.some((byte) => byte !== 0)) throw new NotWhole('something follows the last element that is no element');
      if (bytes.length < LONG) return;
    }
  }

  #copyElement(at: number, level: Level): number {
    const cursor = this.#cursor;
    const { tag, vrCode, length, valueOffset, oddity } = cursor;
    this.#elements += 1;
    if (this.#elements > MOST_ELEMENTS) throw new NotWhole('it has too many elements');
    if (this.#elements % CANCEL_STEP === 0) this.#given.throwIfCancelled();
    if (tag >= 0xfffe0000) throw new NotWhole(`a delimiter is where an element is expected, at byte ${at}`);
    if (oddity !== undefined || (vrCode !== 0 && !isKnownVrCode(vrCode))) {
      throw new NotWhole(`${Tag.tagToString(tag)} is not encoded as its transfer syntax says, at byte ${at}`);
    }
    const isRoot = level.depth === 0;
    const known = dictionaryVr(tag);
    const vr = vrCode === 0 ? (known ?? 'UN') : vrOfCode(vrCode);
    const isAdded = isRoot && this.#given.added.some((one) => one.tag === tag);
    if (isRoot) this.#addBefore(tag);
    let rule = isAdded ? 'drop' : this.#ruleOf(tag, vr, known, level);
    // An element without a value tells nothing, and some objects must have it.
    if (isPrivate(tag) && this.#isSafe(level, { tag, vr, valueOffset, length })) rule = 'keep';
    if (rule === 'drop' && length === 0 && !isAdded && !level.isDropped && profileActionOf(tag) !== undefined)
      rule = 'keep';
    const headerLength = valueOffset - at;
    if (length === UNDEFINED_LENGTH && (tag === Tag.PixelData || vrCode === OB || vrCode === OW)) {
      return this.#copyEncapsulated(at, level, rule);
    }
    const isUndefined = length === UNDEFINED_LENGTH;
    if (isUndefined && vrCode !== SQ && vrCode !== UN && vrCode !== 0) {
      throw new NotWhole(`${Tag.tagToString(tag)} has no length`);
    }
    if (isUndefined || this.#isSequence(vr, known, valueOffset)) {
      return this.#copySequence(at, level, { rule, vrCode, length, headerLength });
    }
    const end = valueOffset + length;
    this.#requireBytes(level, end);
    if (isRoot && isPixelData(tag) && this.#given.frameBytes !== undefined) {
      this.#addFrames(tag, vr);
      return end;
    }
    if (!level.isDropped) this.#copyValue({ at, tag, vr, known, rule, headerLength, valueOffset, length, level });
    return end;
  }

  /** Through the cursor, whose view of the source a reader of its own would move. Valid until the next call. */
  #read(position: number, length: number): Uint8Array {
    const [bytes, from] = this.#cursor.findValue(position, length);
    return bytes.subarray(from, from + length);
  }

  /** The source for other readers. */
  #ownSource(): Pick<ByteSource, 'read'> {
    return { read: (position, length) => this.#read(position, length) };
  }

  #ruleOf(tag: number, vr: string, known: string | undefined, level: Level): CopyRule {
    if (level.isDropped) return 'drop';
    // A copy with decoded frames has no offsets of stored ones.
    const isOffsets = tag === Tag.ExtendedOffsetTable || tag === Tag.ExtendedOffsetTableLengths;
    if (isOffsets && level.depth === 0 && this.#given.frameBytes !== undefined) return 'drop';
    return copyRuleOf({ tag, vr, known, isNested: level.depth > 0, isReplaced: level.isReplaced }, this.#given.options);
  }

  /** Whether a private element is known to have a number or term of the measurement, and has one. */
  #isSafe(level: Level, { tag, vr, valueOffset, length }: PrivateValue): boolean {
    if (!this.#given.options.retainsSafePrivate || level.isDropped || level.isReplaced || length > LONG) return false;
    const element = tag & 0xffff;
    const block = element >>> 8;
    const group = tag - element;
    if (element >= 0x10 && element <= 0xff) {
      const creator = Buffer.from(this.#read(valueOffset, length)).toString('latin1').replaceAll('\0', ' ').trim();
      if (!isSafeCreator(tag, creator)) return false;
      level.creators.set(group + element, creator);
      return true;
    }
    const creator = level.creators.get(group + block);
    if (creator === undefined || !isSafePrivate(tag, creator)) return false;
    return isSafeValue(vr, this.#read(valueOffset, length));
  }

  #isSequence(vr: string, known: string | undefined, valueOffset: number): boolean {
    if (vr === 'SQ') return true;
    return vr === 'UN' && known === 'SQ' && this.#cursor.peekTag(valueOffset, true) === Tag.Item;
  }

  #requireBytes(level: Level, end: number): void {
    if (level.bounded) {
      if (end > level.end) throw new NotWhole('an element is longer than the item that it is in');
      return;
    }
    const { source } = this.#given;
    const isThere = end <= source.size && (Number.isFinite(source.size) || this.#read(end - 1, 1).length === 1);
    if (!isThere) throw new NotWhole('it ends inside of an element');
  }

  #copyValue(value: {
    readonly at: number;
    readonly tag: number;
    readonly vr: string;
    readonly known: string | undefined;
    readonly rule: CopyRule;
    readonly headerLength: number;
    readonly valueOffset: number;
    readonly length: number;
    readonly level: Level;
  }): void {
    const { at, tag, vr, rule, headerLength, valueOffset, length, level } = value;
    const { isInflated, masker, patient } = this.#given;
    if (rule === 'drop' || rule === 'replace_items') return;
    const isShort = this.#out.isShort(length);
    if (rule === 'keep' || (rule === 'number' && !isShort && this.#isNumberText(valueOffset, length))) {
      if (isShort) return this.#out.bytes(this.#read(at, headerLength + length));
      this.#out.bytes(this.#read(at, headerLength));
      return this.#out.stored(valueOffset, length, { isInflated });
    }
    const fixed = FIXED[rule];
    if (fixed !== undefined) return this.#addText(level, tag, vr, length === 0 ? '' : fixed);
    if (rule === 'empty' || (!isShort && rule !== 'text')) return this.#addText(level, tag, vr, '');
    const bytes = this.#read(valueOffset, Math.min(length, LONG));
    if (rule === 'descriptor') {
      const text = Buffer.from(bytes).toString('latin1').replaceAll('\0', ' ');
      const clean = cleanDescriptor(text, { vr, own: this.#given.ownWords });
      return this.#addText(level, tag, vr, clean.length % 2 === 0 ? clean : `${clean} `);
    }
    const masked = maskValue(masker, { rule: toMaskRule(rule), bytes, patient, isRegisteredUid });
    this.#addHeader(level, tag, vr, masked.length);
    this.#out.bytes(masked);
  }

  #isNumberText(offset: number, length: number): boolean {
    for (let at = 0; at < length; at += LONG) {
      if (!isNumeric(this.#read(offset + at, Math.min(LONG, length - at)))) return false;
    }
    return true;
  }

  #addText(level: Level, tag: number, vr: string, text: string): void {
    this.#addHeader(level, tag, vr, text.length);
    this.#out.bytes(Buffer.from(text, 'latin1'));
  }

  #addHeader({ explicit }: Pick<Level, 'explicit'>, tag: number, vr: string, length: number): void {
    const out = this.#out;
    out.tag(tag);
    if (!explicit) return out.uint32(length);
    out.bytes(Buffer.from(vr, 'latin1'));
    if (vrTraits(vr)?.longLength !== true) return out.uint16(length);
    out.uint16(0);
    out.uint32(length);
  }

  #copyEncapsulated(at: number, level: Level, rule: CopyRule): number {
    const { tag, valueOffset } = this.#cursor;
    const { isInflated, frameBytes } = this.#given;
    const { end, problem } = walkEncapsulated(this.#cursor, valueOffset, level.littleEndian);
    if (problem !== undefined) throw new NotWhole('its compressed pixels end early, or are no items');
    if (level.bounded && end > level.end) throw new NotWhole('an element is longer than the item that it is in');
    if (level.depth === 0 && isPixelData(tag) && frameBytes !== undefined) this.#addFrames(tag, 'OW');
    else if (rule !== 'drop') {
      this.#out.bytes(this.#read(at, valueOffset - at));
      const blanks = findComments(this.#ownSource(), { offset: valueOffset, length: end - valueOffset });
      this.#out.stored(valueOffset, end - valueOffset, { isInflated, blanks });
    }
    return end;
  }

  #addFrames(tag: number, vr: string): void {
    const { frameBytes = 0, explicit } = this.#given;
    const padding = frameBytes % 2;
    this.#addHeader({ explicit }, tag, vr, frameBytes + padding);
    this.#out.frames(frameBytes);
    if (padding > 0) this.#out.bytes(Uint8Array.of(0));
  }

  #copySequence(
    at: number,
    level: Level,
    { rule, vrCode, length, headerLength }: { rule: CopyRule; vrCode: number; length: number; headerLength: number },
  ): number {
    const out = this.#out;
    const { tag, valueOffset } = this.#cursor;
    if (level.depth >= READ_LIMITS.maxDepth) throw new NotWhole('its sequences are nested too deeply');
    const bounded = length !== UNDEFINED_LENGTH;
    // A sequence with the VR UN is encoded as Implicit VR Little Endian in any data set. PS3.5 6.2.2 (CP-246).
    const isUnknown = vrCode === UN;
    if (isUnknown && !level.littleEndian) throw new NotWhole('a sequence is in another byte order than the rest');
    const isKept = !level.isDropped && (rule === 'keep' || rule === 'replace_items');
    const inside: Level = {
      bounded,
      end: bounded ? valueOffset + length : level.end,
      explicit: level.explicit && !isUnknown,
      littleEndian: level.littleEndian || isUnknown,
      depth: level.depth + 1,
      isReplaced: level.isReplaced || rule === 'replace_items',
      isDropped: !isKept,
      creators: new Map(),
    };
    if (bounded) this.#requireBytes(level, inside.end);
    if (!isKept) {
      if (!level.isDropped && rule !== 'drop') this.#addHeader(level, tag, isUnknown ? 'UN' : 'SQ', 0);
      return this.#copyItems(valueOffset, inside);
    }
    out.bytes(this.#read(at, headerLength - 4));
    if (!bounded) {
      out.uint32(UNDEFINED_LENGTH);
      const end = this.#copyItems(valueOffset, inside);
      this.#addDelimiter(Tag.SequenceDelimitationItem);
      return end;
    }
    const place = out.lengthPlace();
    const end = this.#copyItems(valueOffset, inside);
    out.setLength(place);
    return end;
  }

  #addDelimiter(tag: number): void {
    this.#out.tag(tag);
    this.#out.uint32(0);
  }

  /** Returns where the sequence ends. */
  #copyItems(start: number, level: Level): number {
    const cursor = this.#cursor;
    const { littleEndian } = level;
    let at = start;
    while (!(level.bounded && at === level.end)) {
      if (at > level.end || !cursor.readHeader(at, false, littleEndian))
        throw new NotWhole('it ends inside of a sequence');
      const { tag, length } = cursor;
      if (tag === Tag.SequenceDelimitationItem && !level.bounded) return at + 8;
      if (tag !== Tag.Item) throw new NotWhole('a sequence has something other than items');
      this.#elements += 1;
      at = this.#copyItem(at + 8, level, length);
    }
    return at;
  }

  #copyItem(start: number, level: Level, length: number): number {
    const out = this.#out;
    const bounded = length !== UNDEFINED_LENGTH;
    const end = bounded ? start + length : level.end;
    if (bounded) this.#requireBytes(level, end);
    const inside: Level = { ...level, bounded, end, creators: new Map() };
    let place;
    if (!level.isDropped) {
      out.tag(Tag.Item);
      if (bounded) place = out.lengthPlace();
      else out.uint32(UNDEFINED_LENGTH);
    }
    let at = start;
    for (;;) {
      if (bounded && at === end) break;
      if (at > end || !this.#cursor.readHeader(at, level.explicit, level.littleEndian)) {
        throw new NotWhole('it ends inside of an item');
      }
      if (!bounded && this.#cursor.tag === Tag.ItemDelimitationItem) {
        at += 8;
        break;
      }
      at = this.#copyElement(at, inside);
    }
    if (place !== undefined) out.setLength(place);
    else if (!level.isDropped) this.#addDelimiter(Tag.ItemDelimitationItem);
    return at;
  }

  /** Writes what has its place before this tag. */
  #addBefore(tag: number): void {
    for (let next = this.#added[0]; next !== undefined && next.tag <= tag; next = this.#added[0]) {
      this.#added.shift();
      this.#addElement(next);
    }
  }

  #addElement({ tag, vr, value }: AddedElement): void {
    const { explicit } = this.#given;
    if (value instanceof Uint8Array) {
      this.#addHeader({ explicit }, tag, vr, value.length);
      this.#out.bytes(value);
      return;
    }
    const out = this.#out;
    out.tag(tag);
    if (explicit) {
      out.bytes(Buffer.from(vr, 'latin1'));
      out.uint16(0);
    }
    const all = out.lengthPlace();
    for (const item of value) {
      out.tag(Tag.Item);
      const one = out.lengthPlace();
      for (const element of item) this.#addElement(element);
      out.setLength(one);
    }
    out.setLength(all);
  }
}

type MaskedRule = Parameters<typeof maskValue>[1]['rule'];

/** What is left of the rules when the others are done. */
function toMaskRule(rule: CopyRule): MaskedRule {
  switch (rule) {
    case 'keep':
    case 'drop':
    case 'empty':
    case 'fixed_date':
    case 'fixed_time':
    case 'fixed_date_time':
    case 'replace_items':
    case 'descriptor':
      throw new Error(`${rule} is no rule for a value`);
    case 'text':
    case 'label':
    case 'uid':
    case 'date':
    case 'date_time':
    case 'age':
    case 'number':
    case 'time':
    case 'patient_name':
    case 'patient_id':
      return rule;
  }
}
