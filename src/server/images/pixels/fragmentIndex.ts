import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import type { FrameStart } from './frameStart.ts';

/** A range of bytes in a source. */
export type FragmentRange = { readonly position: number; readonly length: number };

/**
 * Index of the fragments of encapsulated pixel data. It is filled from the front on demand, by reading item headers
 * only; it can be kept while the source is closed and reopened.
 */
export interface FragmentIndex {
  /** Number of fragments found so far. */
  readonly count: number;
  /** Number of frames that begin in these fragments, by the signature of their streams. */
  readonly frameCount: number;
  /** Whether all fragments have been found. */
  readonly isComplete: boolean;
  /** With `isComplete`: the present part of a truncated fragment. It is not included in the counts above. */
  readonly cut: (FragmentRange & { readonly startsFrame: boolean }) | undefined;
  range(fragment: number): FragmentRange;
  /** The first fragment of a frame (both counted from 0); undefined if not known yet. */
  findFrameStart(frame: number): number | undefined;
  /** Continues reading until `count` fragments, or all, are known. */
  extendTo(source: ByteSource, count: number): void;
}

export type FragmentArea = {
  /** Start of the first item after the basic offset table, and end of the value. */
  readonly start: number;
  readonly end: number;
  readonly startsFrame: FrameStart;
};

const ITEM_TAG = 0xe000fffe;
const HEADER_BYTES = 8;
/** Number of content bytes of a fragment that are passed to `startsFrame`. */
const OPENING_BYTES = 12;
const BATCH_BYTES = 1024 * 1024;
/** For longer fragments, reading each header separately is cheaper than reading the data between them. */
const SHORT_FRAGMENT = 64 * 1024;

export function createFragmentIndex(area: FragmentArea): FragmentIndex {
  return new GrowingIndex(area);
}

class GrowingIndex implements FragmentIndex {
  readonly #area: FragmentArea;
  // 12 bytes per fragment, because slides have hundreds of thousands.
  #positions = new Float64Array(64);
  #lengths = new Uint32Array(64);
  /** Used only after a frame of several fragments was found; until then, fragment and frame numbers are equal. */
  #frameStarts: number[] | undefined;
  #next: number;
  count = 0;
  isComplete = false;
  cut: FragmentIndex['cut'];

  constructor(area: FragmentArea) {
    this.#area = area;
    this.#next = area.start;
  }

  get frameCount(): number {
    return this.#frameStarts?.length ?? this.count;
  }

  range(fragment: number): FragmentRange {
    return { position: this.#positions[fragment]!, length: this.#lengths[fragment]! };
  }

  findFrameStart(frame: number): number | undefined {
    if (this.#frameStarts !== undefined) return this.#frameStarts[frame];
    return frame < this.count ? frame : undefined;
  }

  extendTo(source: ByteSource, wanted: number): void {
    let batch: Uint8Array = new Uint8Array();
    let batchStart = this.#next;
    while (!this.isComplete && this.count < wanted) {
      if (this.#next + HEADER_BYTES + OPENING_BYTES > batchStart + batch.length) {
        batchStart = this.#next;
        batch = source.read(batchStart, Math.min(this.#batchBytes(), this.#area.end - batchStart));
      }
      this.#step(batch.subarray(this.#next - batchStart));
    }
  }

  #batchBytes(): number {
    const isDense = this.count > 0 && this.#lengths[this.count - 1]! < SHORT_FRAGMENT;
    return isDense ? BATCH_BYTES : HEADER_BYTES + OPENING_BYTES;
  }

  /** Adds the item at the start of these bytes, or detects the end. */
  #step(bytes: Uint8Array): void {
    const { end, startsFrame } = this.#area;
    const length = readItem(bytes, 0);
    const position = this.#next + HEADER_BYTES;
    const opening = bytes.subarray(HEADER_BYTES, HEADER_BYTES + Math.min(length ?? 0, OPENING_BYTES));
    if (length !== undefined && position + length <= end) {
      this.#add(position, length, this.count === 0 || startsFrame(opening));
      this.#next = position + length;
      return;
    }
    this.isComplete = true;
    if (length !== undefined && end > position) {
      this.cut = { position, length: end - position, startsFrame: startsFrame(opening) };
    }
  }

  #add(position: number, length: number, isStart: boolean): void {
    if (this.count === this.#positions.length) {
      this.#positions = grow(this.#positions, new Float64Array(this.count * 2));
      this.#lengths = grow(this.#lengths, new Uint32Array(this.count * 2));
    }
    this.#positions[this.count] = position;
    this.#lengths[this.count] = length;
    if (!isStart) this.#frameStarts ??= Array.from({ length: this.count }, (_, i) => i);
    if (isStart) this.#frameStarts?.push(this.count);
    this.count++;
  }
}

/** The length of the item at `at`; undefined at the sequence delimiter, and if the bytes are not an item. */
export function readItem(bytes: Uint8Array, at: number): number | undefined {
  if (at + HEADER_BYTES > bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, HEADER_BYTES);
  const length = view.getUint32(4, true);
  return view.getUint32(0, true) === ITEM_TAG && length !== 0xffffffff ? length : undefined;
}

function grow<Values extends Float64Array | Uint32Array>(from: Values, to: Values): Values {
  to.set(from);
  return to;
}
