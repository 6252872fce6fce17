import type { ByteSource } from './byteSource.ts';
import { LONG_LENGTH, lengthFormOfVr, SHORT_LENGTH, UNDEFINED_LENGTH, vrOfCode } from './elementCursor.ts';
import type { HeaderSlots, Slot } from './headerSlots.ts';
import { readElements } from './readElements.ts';
import { type PixelElement, READ_LIMITS, type ReadFilter } from './readPlan.ts';
import { FlagCollector } from './readFlags.ts';
import { pixelDataVr } from './pixelElement.ts';
import * as Tag from './tag.ts';

export type PlainElements = {
  /** Where the elements end, or the first one that was not wanted begins. */
  readonly position: number;
  readonly elementCount: number;
  readonly pixelData: PixelElement | undefined;
};

const MAX_ELEMENTS = 50_000;
const LIMITS = { ...READ_LIMITS, maxElements: MAX_ELEMENTS };
const MAX_VALUE_BYTES = 32 * 1024;
const SQ = 0x5351;

/**
 * Reads little endian elements that are as the standard asks, and only those: one branch for each rule, no object for
 * an element that nobody wants. Undefined at the first thing that is odd in any way, where `readElements` must judge.
 */
export function readPlainElements(
  source: ByteSource,
  start: number,
  { explicit, slots, group, filter }: { explicit: boolean; slots: HeaderSlots; group?: number; filter: ReadFilter },
): PlainElements | undefined {
  const { size } = source;
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
    const tag = ((window[at + 1]! << 8) | window[at]!) * 0x10000 + ((window[at + 3]! << 8) | window[at + 2]!);
    if (group !== undefined && tag >= 0x00030000) break;
    if (tag <= lastTag || tag === 0 || tag >= 0xfffe0000 || count > MAX_ELEMENTS) return undefined;
    lastTag = tag;

    let vrCode = 0;
    let headerLength = 8;
    let length: number;
    if (explicit) {
      vrCode = (window[at + 4]! << 8) | window[at + 5]!;
      const form = lengthFormOfVr(vrCode);
      if (form === SHORT_LENGTH) {
        length = (window[at + 7]! << 8) | window[at + 6]!;
      } else if (form === LONG_LENGTH && at + 12 <= window.length) {
        length = uint32(window, at + 8);
        headerLength = 12;
      } else {
        return undefined;
      }
    } else {
      length = uint32(window, at + 4);
    }
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

    const slot = slots.find(tag);
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

/** Sequences are read with everything in them, and long values are left where they are. */
function isComplex(slot: Slot, vrCode: number, length: number): boolean {
  return vrCode === SQ || slot.known === 'SQ' || length > MAX_VALUE_BYTES;
}

/** One element through the full reader. Answers where it ends, or undefined when anything about it is odd. */
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
  });
  const element = read.dataSet.element(tag);
  if (!flags.isEmpty || read.elementCount !== 1) return undefined;
  if (slot !== undefined && element !== undefined) slots.takeElement(slot, element);
  return read.position;
}

function uint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at + 3]! << 24) | (bytes[at + 2]! << 16) | (bytes[at + 1]! << 8) | bytes[at]!) >>> 0;
}
