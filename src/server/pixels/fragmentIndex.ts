import type { ByteSource } from '../dicom/byteSource.ts';
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

export function createFragmentIndex({ start, end, startsFrame }: FragmentArea): FragmentIndex {
  // 12 bytes a fragment: slides have hundreds of thousands.
  let positions = new Float64Array(64);
  let lengths = new Uint32Array(64);
  let count = 0;
  let next = start;
  let isComplete = false;
  let cut: FragmentIndex['cut'];
  // Kept only once a frame of several fragments was met; until then fragment and frame have the same number.
  let frameStarts: number[] | undefined;

  const add = (position: number, length: number, opening: Uint8Array) => {
    if (count === positions.length) {
      positions = grow(positions, new Float64Array(count * 2));
      lengths = grow(lengths, new Uint32Array(count * 2));
    }
    positions[count] = position;
    lengths[count] = length;
    const isStart = count === 0 || startsFrame(opening);
    if (!isStart) frameStarts ??= Array.from({ length: count }, (_, i) => i);
    if (isStart) frameStarts?.push(count);
    count++;
  };

  return {
    get count() {
      return count;
    },
    get frameCount() {
      return frameStarts?.length ?? count;
    },
    get isComplete() {
      return isComplete;
    },
    get cut() {
      return cut;
    },
    range: (fragment) => ({ position: positions[fragment]!, length: lengths[fragment]! }),
    findFrameStart: (frame) => (frameStarts === undefined ? (frame < count ? frame : undefined) : frameStarts[frame]),
    extendTo(source, wanted) {
      let batch: Uint8Array = new Uint8Array();
      let batchStart = next;
      while (!isComplete && count < wanted) {
        if (next + HEADER_BYTES + OPENING_BYTES > batchStart + batch.length) {
          const isDense = count > 0 && lengths[count - 1]! < SHORT_FRAGMENT;
          const wantedBytes = isDense ? BATCH_BYTES : HEADER_BYTES + OPENING_BYTES;
          batchStart = next;
          batch = source.read(next, Math.min(wantedBytes, end - next));
        }
        const at = next - batchStart;
        const item = readItem(batch, at);
        const opening = batch.subarray(at + HEADER_BYTES, at + HEADER_BYTES + Math.min(item ?? 0, OPENING_BYTES));
        if (item === undefined || next + HEADER_BYTES + item > end) {
          isComplete = true;
          const position = next + HEADER_BYTES;
          if (item !== undefined && end > position) cut = { position, length: end - position, startsFrame: startsFrame(opening) };
          return;
        }
        add(next + HEADER_BYTES, item, opening);
        next += HEADER_BYTES + item;
      }
    },
  };
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
