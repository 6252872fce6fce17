import { findUnknownTerms } from './characterSet.ts';
import { type DataElement, DataSet, parseCharacterSetTerms } from './dataSet.ts';
import { dictionaryVr } from './dictionary.ts';
import { ElementCursor, UNDEFINED_LENGTH } from './elementCursor.ts';
import { isKnownVrCode, vrCodeOf, vrOfCode } from './vrCodes.ts';
import { ElementTable } from './elementTable.ts';
import { walkEncapsulated } from './encapsulated.ts';
import { isPixelData, pixelDataVr } from './pixelElement.ts';
import { isNumeric, type MaskRule, maskRuleOf, maskValue } from '../../bytes/masking/maskElement.ts';
import { findMasker, type Masker } from '../../bytes/masking/masker.ts';
import { ReadBudget } from './readBudget.ts';
import type { FlagCollector, LimitFlagCode, ReadFlagCode } from './readFlags.ts';
import { DataSetLevel, type ReadLevel, SequenceLevel } from './readLevels.ts';
import type { PixelElement, ReadElementsOptions, ReadElementsResult } from './readPlan.ts';
import * as Tag from './tag.ts';
import { isRegisteredUid } from './uids.ts';
import { vrTraits } from './vr.ts';

/** Reads the elements of a data set in one pass over its bytes. Never throws because of their content. */
export function readElements(options: ReadElementsOptions): ReadElementsResult {
  return new ElementReader(options).read();
}

const MAX_OPEN_LEVELS = 4096;
const SQ = vrCodeOf('SQ');
const UN = vrCodeOf('UN');
const OB = vrCodeOf('OB');
const OW = vrCodeOf('OW');

/** Longer values are masked by their length alone, but numbers are read to their end. */
const MOST_MASKED_BYTES = 64 * 1024;
/** The position of a masked value: no source is so long. */
const NOWHERE = Number.MAX_SAFE_INTEGER - MOST_MASKED_BYTES;
const NO_BYTES = new Uint8Array(0);

class ElementReader {
  readonly #options: ReadElementsOptions;
  readonly #cursor: ElementCursor;
  readonly #flags: FlagCollector;
  readonly #budget: ReadBudget;
  readonly #table = new ElementTable<DataSet>();
  readonly #stack: ReadLevel[] = [];
  readonly #dataSet: DataSet;
  readonly #root: DataSetLevel;
  readonly #masker: Masker | undefined;
  #position: number;
  #finished = false;
  #endedBy: LimitFlagCode | undefined;
  #elementCount = 0;
  #pixelData: PixelElement | undefined;

  constructor(options: ReadElementsOptions) {
    this.#options = options;
    this.#cursor = new ElementCursor(options.source);
    this.#flags = options.flags;
    this.#budget = new ReadBudget(options.limits);
    this.#position = options.position;
    this.#masker = options.isOriginal === true ? undefined : findMasker();
    const { source, explicit, littleEndian, parent } = options;
    const table = this.#table;
    this.#dataSet = new DataSet({ source, littleEndian, table, ...(parent !== undefined && { parent }) });
    const place = { end: Number.POSITIVE_INFINITY, bounded: false, explicit, littleEndian, depth: 0 };
    this.#root = new DataSetLevel(place, this.#dataSet, 0);
    this.#stack.push(this.#root);
  }

  read(): ReadElementsResult {
    // Every step consumes at least the eight bytes of a header or leaves a level, so the loop ends.
    for (let level = this.#stack.at(-1); level !== undefined && !this.#finished; level = this.#stack.at(-1)) {
      if (this.#position >= level.end) this.#leave(level);
      else if (level instanceof SequenceLevel) this.#stepSequence(level);
      else this.#stepDataSet(level);
    }
    this.#closeAll();
    return {
      dataSet: this.#dataSet,
      position: this.#position,
      elementCount: this.#elementCount,
      pixelData: this.#pixelData,
    };
  }

  /** Closes all open levels. After a limit has ended the reading, they end early. */
  #closeAll(): void {
    let { tag } = this.#cursor;
    for (let level = this.#stack.at(-1); level !== undefined; level = this.#stack.at(-1)) {
      if (level instanceof SequenceLevel) tag = level.header.tag;
      else if (level.omittedCount === 0) level.omittedTag = tag;
      this.#close(level);
    }
  }

  #stepDataSet(level: DataSetLevel): void {
    if (!this.#readHeader(level.explicit, level.littleEndian)) return;
    const { tag } = this.#cursor;
    if (tag >= 0xfffe0000) return this.#stepDelimiter(level, tag);
    const isRoot = level === this.#root;
    if (isRoot && this.#stopsBefore(tag)) return;
    if (this.#isSpent()) return;
    if (isRoot) this.#elementCount += 1;
    const { vrCode, oddity } = this.#cursor;
    if (oddity !== undefined) this.#flag(oddity);
    const keep = this.#keeps(level, tag);
    const known = keep || vrCode === 0 ? dictionaryVr(tag) : undefined;
    const vr = vrCode === 0 ? (known ?? 'UN') : vrOfCode(vrCode);
    if (this.#cursor.length === UNDEFINED_LENGTH) return this.#stepUndefined(level, vr, keep);
    if (this.#isSequence(vr, known)) return this.#openSequence(level, vr, keep);
    this.#takeValue(level, { vr, known, keep });
  }

  #keeps(level: DataSetLevel, tag: number): boolean {
    if (level.dataSet === undefined || this.#options.filter?.element(level.depth, tag) === false) return false;
    if (!this.#budget.isFull) return true;
    this.#flag('element_limit');
    if (level.omittedCount === 0) level.omittedTag = tag;
    level.omittedCount += 1;
    return false;
  }

  /** Whether reading ends here: at a tag to stop before, at another group, or at padding after the last element. */
  #stopsBefore(tag: number): boolean {
    const { until, group } = this.#options;
    if (group !== undefined && (tag >>> 16 !== group || this.#beginsAgain(tag))) this.#finished = true;
    else if (until !== undefined && tag >= until) {
      this.#finished = true;
      if (isPixelData(tag)) this.#locatePixels();
    } else if (tag === 0 && this.#elementCount > 0) {
      this.#flag('trailing_padding');
      this.#finished = true;
    } else if (this.#isTrailingJunk(tag)) {
      this.#flag('trailing_bytes');
      this.#finished = true;
    }
    return this.#finished;
  }

  /** A second group length: some gateways write their own meta information before that of the original file. */
  #beginsAgain(tag: number): boolean {
    return (tag & 0xffff) === 0 && this.#elementCount > 0;
  }

  /**
   * After pixel data, bytes must look like an element to be read as one; before it, any bytes are read as an element.
   */
  #isTrailingJunk(tag: number): boolean {
    if (this.#pixelData === undefined) return false;
    const { vrCode } = this.#cursor;
    const wellFormed = this.#root.explicit ? isKnownVrCode(vrCode) : dictionaryVr(tag) !== undefined;
    return tag < this.#root.lastTag && !wellFormed;
  }

  #takeValue(level: DataSetLevel, { vr, known, keep }: { vr: string; known: string | undefined; keep: boolean }): void {
    const { tag, length: declaredLength, valueOffset: offset } = this.#cursor;
    if (declaredLength % 2 === 1) this.#flag('odd_length');
    if (level === this.#root && isPixelData(tag)) this.#locatePixels();
    let length = this.#clamp(level, offset, declaredLength);
    this.#position = offset + length;
    if (!keep) return;
    if (vr !== 'UN' && known !== undefined && known !== vr && !known.split(' or ').includes(vr))
      this.#flag('vr_mismatch');
    const readAs = vr === 'UN' || vrTraits(vr) === undefined ? (known ?? 'UN') : vr;
    const element = { tag, vr, readAs, offset, length, declaredLength };
    const rule = this.#maskRule(tag, vr);
    if (rule !== 'keep') return this.#addMasked(level, element, rule);
    if (isBulk(readAs) || length > this.#options.maxValueBytes) return this.#add(level, element);
    const [bytes, from] = this.#cursor.findValue(offset, length);
    length = Math.max(0, Math.min(length, bytes.length - from));
    if (length < element.length) this.#flag('truncated');
    this.#budget.takeValue(length);
    if (tag === Tag.SpecificCharacterSet) this.#checkCharacterSet(bytes.subarray(from, from + length));
    this.#add(
      level,
      length === element.length ? element : { ...element, length },
      this.#table.hold(bytes, from, length),
    );
  }

  #maskRule(tag: number, vr: string): MaskRule {
    return this.#masker === undefined ? 'keep' : maskRuleOf(tag, { vr, known: dictionaryVr(tag) });
  }

  /**
   * Adds what is in place of a value in a masked run. The element holds it and lies nowhere in the source, so that
   * nothing finds the original through it.
   */
  #addMasked(level: DataSetLevel, element: DataElement, rule: Exclude<MaskRule, 'keep'>): void {
    const { offset, length } = element;
    const isLong = length > MOST_MASKED_BYTES;
    if (isLong && rule === 'number' && this.#isNumberText(element)) return this.#add(level, element);
    let masked: Uint8Array = NO_BYTES;
    if (rule !== 'remove' && (!isLong || rule === 'text') && this.#masker !== undefined) {
      const [bytes, from] = this.#cursor.findValue(offset, Math.min(length, MOST_MASKED_BYTES));
      const { patient } = this.#options;
      masked = maskValue(this.#masker, { rule, bytes: bytes.subarray(from, from + length), patient, isRegisteredUid });
    }
    this.#budget.takeValue(masked.length);
    const place = { offset: NOWHERE, length: masked.length, declaredLength: masked.length };
    this.#add(level, { ...element, ...place }, this.#table.hold(masked, 0, masked.length));
  }

  /** Whether a long value is read as numbers and has nothing else, to its end. In pieces, because contours are megabytes. */
  #isNumberText({ readAs, offset, length }: DataElement): boolean {
    if (readAs !== 'DS' && readAs !== 'IS') return false;
    for (let at = 0; at < length; at += MOST_MASKED_BYTES) {
      const size = Math.min(MOST_MASKED_BYTES, length - at);
      const [bytes, from] = this.#cursor.findValue(offset + at, size);
      if (!isNumeric(bytes.subarray(from, from + size))) return false;
    }
    return true;
  }

  #stepUndefined(level: DataSetLevel, vr: string, keep: boolean): void {
    const { tag, valueOffset, vrCode } = this.#cursor;
    if (tag === Tag.PixelData || vrCode === OB || vrCode === OW) return this.#passEncapsulated(level, vr, keep);
    if (vrCode === SQ || vrCode === UN || vrCode === 0) return this.#openSequence(level, vr, keep);
    this.#flag('undefined_length');
    if (this.#cursor.peekTag(valueOffset, level.littleEndian) === Tag.Item) return this.#openSequence(level, vr, keep);
    // The end of this value is unknown, so this level cannot be read any further.
    if (level.end === Number.POSITIVE_INFINITY) this.#finished = true;
    else this.#position = level.end;
  }

  #passEncapsulated(level: DataSetLevel, vr: string, keep: boolean): void {
    const { tag, valueOffset: offset } = this.#cursor;
    if (level === this.#root && isPixelData(tag)) this.#locatePixels();
    const { end, count, bytes, problem } = walkEncapsulated(this.#cursor, offset, level.littleEndian);
    this.#position = end;
    if (problem !== undefined) this.#flag(problem);
    if (problem === 'fragment_limit') this.#endBy(problem);
    const length = end - offset;
    const element = { tag, vr, readAs: vr, offset, length, declaredLength: UNDEFINED_LENGTH };
    if (level === this.#root && isPixelData(tag)) this.#pixelData = element;
    if (!keep) return;
    const rule = this.#maskRule(tag, vr);
    if (rule === 'keep') this.#add(level, { ...element, fragments: { count, bytes } });
    else this.#addMasked(level, element, 'remove');
  }

  #isSequence(vr: string, known: string | undefined): boolean {
    if (vr === 'SQ') return true;
    if (vr !== 'UN' || known !== 'SQ') return false;
    return this.#cursor.peekTag(this.#cursor.valueOffset, true) === Tag.Item;
  }

  #openSequence(level: DataSetLevel, vr: string, wanted: boolean): void {
    const { tag, vrCode, length: declaredLength, valueOffset: offset } = this.#cursor;
    const keep = wanted && this.#maskRule(tag, vr) === 'keep';
    if (wanted && !keep) {
      this.#add(level, { tag, vr, readAs: 'SQ', offset: NOWHERE, length: 0, declaredLength: 0, items: [] });
    }
    const bounded = declaredLength !== UNDEFINED_LENGTH;
    const end = bounded ? offset + this.#clamp(level, offset, declaredLength) : level.end;
    this.#position = offset;
    if (!keep && bounded) {
      this.#position = end;
      return;
    }
    if (this.#stack.length >= MAX_OPEN_LEVELS) {
      this.#flag('depth_limited');
      this.#endBy('depth_limited');
      return;
    }
    // A sequence with the VR UN is encoded as Implicit VR Little Endian in any data set. PS3.5 6.2.2 (CP-246).
    const unknown = vrCode === UN;
    const littleEndian = level.littleEndian || unknown;
    const { source } = this.#options;
    const { dataSet: parent } = level;
    const context = keep && parent !== undefined ? { source, littleEndian, table: this.#table, parent } : undefined;
    const place = { end, bounded, explicit: level.explicit && !unknown, littleEndian, depth: level.depth };
    this.#stack.push(new SequenceLevel(place, { tag, vr, offset, declaredLength }, context));
  }

  #stepSequence(level: SequenceLevel): void {
    if (!this.#readHeader(false, level.littleEndian)) return;
    const { tag, length, valueOffset } = this.#cursor;
    if (this.#isSpent()) return;
    if (tag === Tag.Item) return this.#openItem(level, valueOffset, length);
    if (tag === Tag.SequenceDelimitationItem || tag === Tag.ItemDelimitationItem) {
      if (length !== 0) this.#flag('delimiter_length');
      this.#position += 8;
      if (tag === Tag.SequenceDelimitationItem && !level.bounded) this.#close(level);
      else this.#flag('stray_delimiter');
      return;
    }
    this.#flag('bad_item');
    if (level.bounded) this.#position = level.end;
    this.#close(level);
  }

  #openItem(level: SequenceLevel, offset: number, declaredLength: number): void {
    const index = level.itemCount;
    level.itemCount += 1;
    const bounded = declaredLength !== UNDEFINED_LENGTH;
    const end = bounded ? offset + this.#clamp(level, offset, declaredLength) : level.end;
    const depth = level.depth + 1;
    const context = this.#keepsItem(level, index) ? level.context : undefined;
    this.#position = offset;
    if (context === undefined && bounded) {
      this.#position = end;
      return;
    }
    const explicit = level.explicit || this.#looksExplicit(offset, end, level.littleEndian);
    if (explicit && !level.explicit) this.#flag('explicit_vr_item');
    if (context !== undefined) this.#budget.keepOne();
    const dataSet = context === undefined ? undefined : new DataSet(context);
    const { littleEndian } = level;
    const firstWaiting = this.#table.waiting;
    this.#stack.push(new DataSetLevel({ end, bounded, explicit, littleEndian, depth }, dataSet, firstWaiting));
  }

  #keepsItem(level: SequenceLevel, index: number): boolean {
    if (level.context === undefined) return false;
    const tooDeep = level.depth >= this.#options.limits.maxDepth;
    if (tooDeep) this.#flag('depth_limited');
    if (tooDeep || this.#options.filter?.item(level.depth, index) === false) return false;
    if (this.#budget.isFull) this.#flag('element_limit');
    return !this.#budget.isFull;
  }

  /** Whether an item that should be implicit begins with a VR whose letters, read as a length, are impossible. */
  #looksExplicit(offset: number, end: number, littleEndian: boolean): boolean {
    if (!this.#cursor.readHeader(offset, true, littleEndian)) return false;
    const { tag, vrCode } = this.#cursor;
    if (!isKnownVrCode(vrCode) || tag >= 0xfffe0000) return false;
    this.#cursor.readHeader(offset, false, littleEndian);
    return offset + 8 + this.#cursor.length > Math.min(end, this.#options.source.size);
  }

  #stepDelimiter(level: DataSetLevel, tag: number): void {
    if (this.#isSpent()) return;
    const open = level !== this.#root && !level.bounded;
    if (open && tag !== Tag.ItemDelimitationItem) {
      // The next item or the end of the sequence follows where the end of this item is missing.
      this.#flag('missing_delimiter');
      return this.#close(level);
    }
    if (this.#cursor.length !== 0 && tag !== Tag.Item) this.#flag('delimiter_length');
    this.#position += 8;
    if (open) this.#close(level);
    else this.#flag('stray_delimiter');
  }

  #readHeader(explicit: boolean, littleEndian: boolean): boolean {
    if (this.#cursor.readHeader(this.#position, explicit, littleEndian)) return true;
    this.#endOfInput();
    return false;
  }

  #endOfInput(): void {
    const rest = this.#options.source.read(this.#position, 12);
    if (this.#stack.length > 1 || rest.some((byte) => byte !== 0)) this.#flag('truncated');
    else if (rest.length > 0) this.#flag('trailing_padding');
    this.#finished = true;
  }

  /** A declared length, limited to what the enclosing level and the source can hold. */
  #clamp(level: ReadLevel, offset: number, declaredLength: number): number {
    const inSource = this.#available(offset, declaredLength);
    if (declaredLength > inSource) this.#flag('truncated');
    else if (offset + declaredLength > level.end) this.#flag('length_exceeds_parent');
    return Math.max(0, Math.min(declaredLength, inSource, level.end - offset));
  }

  /** Number of bytes from a position on. An inflating source must be inflated to the end of the value to know it. */
  #available(offset: number, declaredLength: number): number {
    const { source, measure } = this.#options;
    const unknown = source.size === Number.POSITIVE_INFINITY && declaredLength !== UNDEFINED_LENGTH;
    if (unknown && measure && declaredLength > 0) source.read(offset + declaredLength - 1, 1);
    return Math.max(0, source.size - offset);
  }

  #locatePixels(): void {
    const { tag, vrCode, length: declaredLength, valueOffset: offset } = this.#cursor;
    const inSource = this.#available(offset, declaredLength);
    const undefinedLength = declaredLength === UNDEFINED_LENGTH;
    if (!undefinedLength && declaredLength > inSource) this.#flag('truncated');
    const length = undefinedLength ? inSource : Math.min(declaredLength, inSource);
    this.#pixelData = { tag, vr: pixelDataVr(tag, vrCode), offset, length, declaredLength };
  }

  #checkCharacterSet(bytes: Uint8Array): void {
    if (findUnknownTerms(parseCharacterSetTerms(bytes)).length > 0) this.#flag('unknown_charset');
  }

  #add(level: DataSetLevel, element: DataElement, held?: number): void {
    if (element.tag === level.lastTag) {
      this.#flag('duplicate_element');
      this.#table.removeLast();
    } else if (element.tag < level.lastTag) {
      level.ordered = false;
    }
    level.lastTag = element.tag;
    this.#table.add(element, held);
    this.#budget.keepOne();
  }

  /** Counts a step, and ends the reading if a limit is exceeded. */
  #isSpent(): boolean {
    const limit = this.#budget.takeStep();
    if (limit === undefined) return false;
    this.#flag(limit);
    this.#endBy(limit);
    return true;
  }

  #endBy(limit: LimitFlagCode): void {
    this.#endedBy = limit;
    this.#finished = true;
  }

  /** Called when all bytes of the level have been read. */
  #leave(level: ReadLevel): void {
    if (!level.bounded) this.#flag('missing_delimiter');
    this.#close(level);
  }

  #close(level: ReadLevel): void {
    this.#stack.pop();
    const parent = this.#stack.at(-1);
    if (level instanceof DataSetLevel) {
      if (level.dataSet === undefined) return;
      this.#settle(level, level.dataSet);
      if (parent instanceof SequenceLevel) parent.items.push(level.dataSet);
    } else if (level.context !== undefined && parent instanceof DataSetLevel) {
      const { header, items, itemCount } = level;
      const { tag, vr, offset, declaredLength } = header;
      const length = this.#position - offset;
      this.#add(parent, { tag, vr, readAs: 'SQ', offset, length, declaredLength, items, itemCount });
    }
  }

  #settle(level: DataSetLevel, dataSet: DataSet): void {
    if (!level.ordered) {
      this.#flag('unordered_elements');
      if (this.#table.sortFrom(level.firstWaiting)) this.#flag('duplicate_element');
    }
    const { omittedTag: tag, omittedCount } = level;
    const limit = this.#endedBy ?? (omittedCount > 0 ? 'element_limit' : undefined);
    const count = this.#endedBy === undefined ? omittedCount : undefined;
    const rows = this.#table.settleFrom(level.firstWaiting);
    dataSet.settle(rows, limit === undefined ? undefined : { tag, count, limit });
  }

  #flag(code: ReadFlagCode): void {
    this.#flags.add(code, this.#position);
  }
}

/** Whether the data is reported by its length and read only on request. */
function isBulk(vr: string): boolean {
  return vr.length > 2 ? vr !== 'US or SS' : vrTraits(vr)?.kind === 'bytes';
}
