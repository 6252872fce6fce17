import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { type FragmentRange, createFragmentIndex, type FragmentIndex, readItem } from './fragmentIndex.ts';
import { type FrameStart, frameStartOf } from './frameStart.ts';

/** Encapsulated pixel data as found by the reader. */
export type EncapsulatedPixelData = {
  readonly transferSyntaxUid: string;
  readonly numberOfFrames: number;
  /** Start of the first item, the basic offset table. */
  readonly offset: number;
  /** Number of bytes of the value from there on, as far as the source holds them. */
  readonly length: number;
  readonly extended: ExtendedOffsets | undefined;
};

/** Finds the fragments of a frame. Kept per file: the source may be closed and reopened between calls. */
export interface FrameIndex {
  /**
   * The fragments of a frame (counted from 0) in order, the last one as far as the file holds it; undefined if the file
   * holds none of them.
   */
  find(source: ByteSource, frame: number): readonly FragmentRange[] | undefined;
}

const HEADER_BYTES = 8;
/** A table for a million frames takes 4 MB; a table above this limit is treated as damage. */
const MAXIMUM_TABLE_BYTES = 64 * 1024 * 1024;

export function createFrameIndex(pixelData: EncapsulatedPixelData): FrameIndex {
  const { numberOfFrames, offset, length, transferSyntaxUid, extended } = pixelData;
  const end = offset + length;
  const startsFrame = frameStartOf(transferSyntaxUid);
  let opened: { readonly start: number; table: OffsetTable | undefined; readonly fragments: FragmentIndex } | undefined;

  const open = (source: ByteSource) => {
    const tableLength = readItem(source.read(offset, HEADER_BYTES), 0);
    if (tableLength === undefined || tableLength > MAXIMUM_TABLE_BYTES) return undefined;
    const start = offset + HEADER_BYTES + tableLength;
    const bounds = { frames: numberOfFrames, bytes: end - start };
    const table =
      (extended && parseExtendedOffsets(extended, bounds)) ??
      parseBasicOffsets(source.read(offset + HEADER_BYTES, tableLength), bounds);
    return { start, table, fragments: createFragmentIndex({ start, end, startsFrame: startsFrame ?? everyFragment }) };
  };

  return {
    find(source, frame) {
      opened ??= open(source);
      if (opened === undefined || frame >= numberOfFrames) return undefined;
      const { start, table, fragments } = opened;
      if (table !== undefined && numberOfFrames > 1) {
        const found = findByTable(source, frame, { start, end, table, startsFrame });
        if (found !== 'wrong') return found;
        // After one wrong entry the whole table is ignored.
        opened.table = undefined;
      }
      return findByFragments(source, frame, { fragments, numberOfFrames });
    },
  };
}

type TableContext = {
  readonly start: number;
  readonly end: number;
  readonly table: OffsetTable;
  readonly startsFrame: FrameStart | undefined;
};

const everyFragment: FrameStart = () => true;

/** Walks the items between two entries of the table; the items must end exactly at the second entry. */
function findByTable(
  source: ByteSource,
  frame: number,
  { start, end, table, startsFrame }: TableContext,
): readonly FragmentRange[] | undefined | 'wrong' {
  const { offsets, lengths } = table;
  const nextOffset = offsets[frame + 1];
  const stop = nextOffset === undefined ? end : start + nextOffset;
  const ranges: FragmentRange[] = [];
  let at = start + offsets[frame]!;
  if (at + HEADER_BYTES > end) return undefined;
  while (at < stop) {
    const opening = source.read(at, Math.min(HEADER_BYTES + 12, end - at));
    const length = readItem(opening, 0);
    // The delimiter ends the last frame. Any other bytes that are not an item mean that the table is wrong.
    if (length === undefined) return nextOffset === undefined && ranges.length > 0 ? ranges : 'wrong';
    const isStart = startsFrame?.(opening.subarray(HEADER_BYTES));
    if (isStart !== undefined && isStart !== (ranges.length === 0)) return 'wrong';
    if (at + HEADER_BYTES + length > end) {
      // Truncated by the end of the file: the decoder reports what is missing.
      const left = end - at - HEADER_BYTES;
      if (left > 0) ranges.push({ position: at + HEADER_BYTES, length: left });
      return ranges.length === 0 ? undefined : ranges;
    }
    const declared = lengths?.[frame];
    // The length in the extended table may exclude a padding byte; a length that covers several fragments does not
    // apply.
    const isExact = declared !== undefined && declared > 0 && declared <= length && length - declared <= 1;
    ranges.push({ position: at + HEADER_BYTES, length: isExact ? declared : length });
    at += HEADER_BYTES + length;
  }
  return nextOffset === undefined || at === stop ? ranges : 'wrong';
}

type FragmentContext = { readonly fragments: FragmentIndex; readonly numberOfFrames: number };

/** Without a table: the fragments from one stream signature to the next. */
function findByFragments(
  source: ByteSource,
  frame: number,
  { fragments, numberOfFrames }: FragmentContext,
): readonly FragmentRange[] | undefined {
  if (numberOfFrames === 1) {
    fragments.extendTo(source, Infinity);
    const whole = rangesOf(fragments, 0, fragments.count);
    // Decoders that support it can show the part of a single truncated frame that is present.
    const ranges = fragments.cut === undefined ? whole : [...whole, fragments.cut];
    return ranges.length === 0 ? undefined : ranges;
  }
  // Reads one frame further, because a frame ends where the next one begins.
  while (fragments.findFrameStart(frame + 1) === undefined && !fragments.isComplete) {
    fragments.extendTo(source, Math.max(fragments.count + 1, frame + 2));
  }
  // The streams lack the expected signature, but there are as many fragments as frames.
  const isOneEach = fragments.frameCount < numberOfFrames && fragments.isComplete && fragments.count === numberOfFrames;
  if (isOneEach) return [fragments.range(frame)];
  const first = fragments.findFrameStart(frame);
  const next = fragments.findFrameStart(frame + 1);
  const { cut } = fragments;
  if (first === undefined) return cut?.startsFrame === true && frame === fragments.frameCount ? [cut] : undefined;
  const ranges = rangesOf(fragments, first, next ?? fragments.count);
  return next === undefined && cut?.startsFrame === false ? [...ranges, cut] : ranges;
}

function rangesOf(fragments: FragmentIndex, first: number, end: number): readonly FragmentRange[] {
  return Array.from({ length: end - first }, (_, i) => fragments.range(first + i));
}

/** Position of the first item of each frame, relative to the first item after the basic offset table. */
type OffsetTable = {
  readonly offsets: Float64Array;
  /** Length of each frame in bytes, in the extended table only; each frame is then one fragment. */
  readonly lengths: Float64Array | undefined;
};

/** The values of Extended Offset Table (7FE0,0001) and Extended Offset Table Lengths (7FE0,0002). */
type ExtendedOffsets = { readonly offsets: Uint8Array; readonly lengths: Uint8Array };

type TableBounds = { readonly frames: number; readonly bytes: number };

/** Parses a basic offset table; undefined if the values cannot be valid. PS3.5 A.4. */
function parseBasicOffsets(value: Uint8Array, bounds: TableBounds): OffsetTable | undefined {
  if (value.length !== bounds.frames * 4) return undefined;
  const view = new DataView(value.buffer, value.byteOffset, value.length);
  const offsets = Float64Array.from({ length: bounds.frames }, (_, i) => view.getUint32(4 * i, true));
  return isPlausible(offsets, bounds) ? { offsets, lengths: undefined } : undefined;
}

/** The same for an extended table. PS3.3 C.7.6.3.1.8. */
function parseExtendedOffsets(value: ExtendedOffsets, bounds: TableBounds): OffsetTable | undefined {
  if (value.offsets.length !== bounds.frames * 8 || value.lengths.length !== bounds.frames * 8) return undefined;
  const offsets = toNumbers(value.offsets);
  return isPlausible(offsets, bounds) ? { offsets, lengths: toNumbers(value.lengths) } : undefined;
}

/** Offsets must start at 0 and ascend. In a basic table, offsets beyond 4 GiB wrap around and therefore decrease. */
function isPlausible(offsets: Float64Array, { bytes }: TableBounds): boolean {
  if (offsets[0] !== 0) return false;
  // A truncated file keeps the offsets of frames that it no longer holds.
  return offsets.every((offset, i) => i === 0 || offset >= offsets[i - 1]! + 8) && bytes >= 8;
}

function toNumbers(value: Uint8Array): Float64Array {
  const view = new DataView(value.buffer, value.byteOffset, value.length);
  return Float64Array.from({ length: value.length / 8 }, (_, i) => Number(view.getBigUint64(8 * i, true)));
}
