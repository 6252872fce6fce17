import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { UNDEFINED_LENGTH } from './elementCursor.ts';
import { LONG_LENGTH, lengthFormOfVr, SHORT_LENGTH, vrOfCode } from './vrCodes.ts';
import type { HeaderSlots, Slot } from './headerSlots.ts';
import { readElements } from './readElements.ts';
import { type PixelElement, READ_LIMITS, type ReadFilter } from './readPlan.ts';
import { FlagCollector } from './readFlags.ts';
import { pixelDataVr } from './pixelElement.ts';
import * as Tag from './tag.ts';

export type PlainElements = {
  /** The end of the elements, or the start of the first element beyond those to be read. */
  readonly position: number;
  readonly elementCount: number;
  readonly pixelData: PixelElement | undefined;
};

const MAX_ELEMENTS = 50_000;
const LIMITS = { ...READ_LIMITS, maxElements: MAX_ELEMENTS };
const MAX_VALUE_BYTES = 32 * 1024;
const SQ = 0x5351;

/**
 * Reads little endian elements that conform to the standard: one branch per rule, and no object for an unwanted
 * element. Returns undefined at the first irregularity; then `readElements` must be used.
 */
export function readPlainElements(
  source: ByteSource,
  start: number,
  { explicit, slots, group, filter }: { explicit: boolean; slots: HeaderSlots; group?: number; filter: ReadFilter },
): PlainElements | undefined {
  const { size } = source;
  // Both lists are in tag order, so one comparison is enough; a map lookup would take longer than the rest.
  const { tags: wanted, inOrder } = slots;
  let next = 0;
  let position = start;
  let window = source.peek(position, 12);
  let base = position;
  let lastTag = -1;
  let count = 0;
  let pixelData: PixelElement | undefined;
  for (; position < size; count += 1) {
    let at = position - base;
    if (at < 0 || at + 12 > window.length) {
      window = source.peek(position, 12);
      base = position;
      at = 0;
      if (window.length < 12 && window.length < size - position) return undefined;
      if (window.length < 8) return undefined;
    }
    const tag = tagAt(window, at);
    if (group !== undefined && tag >= 0x00030000) break;
    if (tag <= lastTag || tag === 0 || tag >= 0xfffe0000 || count > MAX_ELEMENTS) return undefined;
    lastTag = tag;

    const vrCode = explicit ? (window[at + 4]! << 8) | window[at + 5]! : 0;
    const headerLength = headerLengthAt(window, at, explicit);
    if (headerLength === 0) return undefined;
    const length = lengthAt(window, at, explicit, headerLength);
    const offset = position + headerLength;
    if (tag >= Tag.FloatPixelData) {
      if (tag > Tag.PixelData) break;
      if (length !== UNDEFINED_LENGTH && offset + length > size) return undefined;
      const vr = pixelDataVr(tag, vrCode);
      const available = length === UNDEFINED_LENGTH ? size - offset : length;
      pixelData = { tag, vr, offset, length: available, declaredLength: length };
      count += 1;
      break;
    }

    while (wanted[next]! < tag) next += 1;
    const slot = wanted[next] === tag ? inOrder[next] : undefined;
    if (slot === undefined && length === UNDEFINED_LENGTH) {
      const end = !explicit || vrCode === SQ ? skipItems(source, offset, explicit) : undefined;
      if (end !== undefined) {
        // If skipping has moved the window of the source, this position is beyond the current window, which is then
        // read again.
        position = end;
        continue;
      }
    }
    if (length === UNDEFINED_LENGTH || (slot !== undefined && isComplex(slot, vrCode, length))) {
      const end = readComplex(source, position, { explicit, slots, slot, tag, filter });
      if (end === undefined) return undefined;
      position = end;
      window = EMPTY;
      continue;
    }
    const end = offset + length;
    if (end > size || length % 2 === 1) return undefined;
    if (slot !== undefined) {
      if (offset - base + length > window.length) {
        window = source.peek(offset, length);
        base = offset;
        if (window.length < length) return undefined;
      }
      const vr = explicit ? vrOfCode(vrCode) : undefined;
      if (vr !== undefined && slot.known !== undefined && !slot.known.includes(vr)) return undefined;
      slots.takeValue(slot, window, offset - base, length, vr);
    }
    position = end;
  }
  return { position, elementCount: count, pixelData };
}

const EMPTY = new Uint8Array(0);

/** Sequences are read with their content; long values stay in the source. */
function isComplex(slot: Slot, vrCode: number, length: number): boolean {
  return vrCode === SQ || slot.known === 'SQ' || length > MAX_VALUE_BYTES;
}

/** Reads one element with the full reader. Returns its end, or undefined at any irregularity. */
function readComplex(
  source: ByteSource,
  position: number,
  {
    explicit,
    slots,
    slot,
    tag,
    filter,
  }: { explicit: boolean; slots: HeaderSlots; slot: Slot | undefined; tag: number; filter: ReadFilter },
): number | undefined {
  const flags = new FlagCollector();
  const read = readElements({
    source,
    position,
    explicit,
    littleEndian: true,
    flags,
    filter,
    until: tag + 1,
    limits: LIMITS,
    maxValueBytes: MAX_VALUE_BYTES,
    measure: true,
    parent: slots.toParent(source),
    patient: slots.findPatient(),
    isOriginal: slots.isOriginal,
  });
  const element = read.dataSet.element(tag);
  if (!flags.isEmpty || read.elementCount !== 1) return undefined;
  if (slot !== undefined && element !== undefined) slots.takeElement(slot, element);
  return read.position;
}

/** Only crafted files nest deeper; the full reader handles them. */
const DEEPEST = 32;

/**
 * The end of the items that begin at `start`, for an unwanted sequence of undefined length. Undefined at the first
 * irregularity.
 */
function skipItems(source: ByteSource, start: number, explicit: boolean): number | undefined {
  const { size } = source;
  let position = start;
  let window: Uint8Array = EMPTY;
  let base = start;
  // Odd between items, even inside an item.
  let depth = 1;
  for (let steps = 0; depth > 0; steps += 1) {
    if (steps > MAX_ELEMENTS || depth > DEEPEST) return undefined;
    let at = position - base;
    if (at < 0 || at + 12 > window.length) {
      window = source.peek(position, 12);
      base = position;
      at = 0;
      if (window.length < 8) return undefined;
    }
    const tag = tagAt(window, at);
    const isBetween = depth % 2 === 1;
    if (tag >= 0xfffe0000) {
      const length = uint32(window, at + 4);
      position += 8;
      if (isBetween && tag === Tag.Item) {
        if (length === UNDEFINED_LENGTH) depth += 1;
        else position += length;
      } else if (length === 0 && tag === (isBetween ? Tag.SequenceDelimitationItem : Tag.ItemDelimitationItem)) {
        depth -= 1;
      } else return undefined;
    } else {
      const headerLength = headerLengthAt(window, at, explicit);
      if (isBetween || headerLength === 0) return undefined;
      const length = lengthAt(window, at, explicit, headerLength);
      position += headerLength;
      if (length === UNDEFINED_LENGTH) {
        if (explicit && ((window[at + 4]! << 8) | window[at + 5]!) !== SQ) return undefined;
        depth += 1;
      } else {
        if (length % 2 === 1) return undefined;
        position += length;
      }
    }
    if (position > size) return undefined;
  }
  return position;
}

function tagAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at + 1]! << 8) | bytes[at]!) * 0x10000 + ((bytes[at + 3]! << 8) | bytes[at + 2]!);
}

/** 0 if there is no valid VR, or if the length lies beyond the available bytes. */
function headerLengthAt(bytes: Uint8Array, at: number, explicit: boolean): 0 | 8 | 12 {
  if (!explicit) return 8;
  const form = lengthFormOfVr((bytes[at + 4]! << 8) | bytes[at + 5]!);
  if (form === SHORT_LENGTH) return 8;
  return form === LONG_LENGTH && at + 12 <= bytes.length ? 12 : 0;
}

function lengthAt(bytes: Uint8Array, at: number, explicit: boolean, headerLength: 8 | 12): number {
  if (headerLength === 12) return uint32(bytes, at + 8);
  return explicit ? (bytes[at + 7]! << 8) | bytes[at + 6]! : uint32(bytes, at + 4);
}

function uint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at + 3]! << 24) | (bytes[at + 2]! << 16) | (bytes[at + 1]! << 8) | bytes[at]!) >>> 0;
}
