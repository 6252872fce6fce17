import type { ByteSource } from '../origins/byteSource.ts';
import type { FrameStart } from './frameStart.ts';

/** Bytes of a source, by their place in it. */
export type ByteRange = { readonly position: number; readonly length: number };

/**
 * Where the fragments of encapsulated pixel data lie. It is filled from the front, as far as it is asked, by reading
 * item headers only; it can be kept while the source is closed and opened again.
 */
export interface FragmentIndex {
  /** Fragments known so far. */
  readonly count: number;
  /** Frames that these begin, by the streams' first bytes. */
  readonly frameCount: number;
  /** Whether there are no more than these. */
  readonly isComplete: boolean;
  /** With `isComplete`: what there is of a fragment in which the data breaks off. It is not counted above. */
  readonly cut: (ByteRange & { readonly startsFrame: boolean }) | undefined;
  range(fragment: number): ByteRange;
  /** The fragment that begins a frame (both count from 0); undefined if not known yet. */
  findFrameStart(frame: number): number | undefined;
  /** Reads on until so many fragments are known, or all are. */
  extendTo(source: ByteSource, count: number): void;
}

export type FragmentArea = {
  /** Where the first item after the basic offset table begins, and where the bytes of the value end. */
  readonly start: number;
  readonly end: number;
  readonly startsFrame: FrameStart;
};

const ITEM_TAG = 0xe000fffe;
const HEADER_BYTES = 8;
/** How many bytes of a fragment's content `startsFrame` is shown. */
const OPENING_BYTES = 12;
const BATCH_BYTES = 1024 * 1024;
/** Between longer fragments it is cheaper to read each header alone than everything that lies between. */
const SHORT_FRAGMENT = 64 * 1024;

export function createFragmentIndex(area: FragmentArea): FragmentIndex {
  return new GrowingIndex(area);
}

class GrowingIndex implements FragmentIndex {
  readonly #area: FragmentArea;
  // 12 bytes a fragment: slides have hundreds of thousands.
  #positions = new Float64Array(64);
  #lengths = new Uint32Array(64);
  /** Kept only once a frame of several fragments was met; until then fragment and frame have the same number. */
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

  range(fragment: number): ByteRange {
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

  /** Takes the item that these bytes begin with, or finds that there is no further one. */
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

/** The length of the item that begins here; undefined at the sequence delimiter, and where the bytes are no item. */
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
