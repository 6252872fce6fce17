import type { FrameDamage } from '../../../../shared/frameDamage.ts';
import type { BitFrame } from '../../../images/pixels/readBits.ts';
import { addBits, findBitBox } from './maskBits.ts';
import { findBox, type MaskBox } from './maskBox.ts';

/** Frames of a segmentation, each cropped to its nonzero samples. */
export type CroppedMasks = {
  /** Frames (from 0), ascending. */
  readonly frames: Uint32Array<ArrayBuffer>;
  /** Top, left, rows and columns of each frame; all 0 if the frame is empty. */
  readonly boxes: Int32Array<ArrayBuffer>;
  /** Where the samples of each frame begin, in bytes. */
  readonly starts: Uint32Array<ArrayBuffer>;
  /** `bits`: one bit for each sample, beginning with the lowest bit of a byte. */
  readonly encoding: 'bits' | 'uint8' | 'uint16';
  readonly samples: Uint8Array;
  readonly damaged: readonly { readonly frame: number; readonly damage: FrameDamage }[];
};

type Encoding = CroppedMasks['encoding'];
type Samples = Uint8Array | Uint16Array;

const NUMBERS_OF_BOX = 4;
const EMPTY: MaskBox = { top: 0, left: 0, rows: 0, columns: 0 };

/** Collects frames one after the other. Frames of bits are collected as `bits` only. */
export class MaskCropper {
  readonly #encoding: Encoding;
  readonly #frames: number[] = [];
  readonly #boxes: number[] = [];
  readonly #starts: number[] = [];
  readonly #parts: Uint8Array[] = [];
  readonly #damaged: { readonly frame: number; readonly damage: FrameDamage }[] = [];
  #bytes = 0;

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `values` has the value of a layer for each stored sample. */
  add(
    frame: number,
    { samples, columns, values, damage }: FrameSamples & { readonly damage: FrameDamage | undefined },
  ): void {
    const box = findBox(samples, columns, values) ?? EMPTY;
    this.#keep(frame, box, this.#encode({ samples, columns, values }, box), damage);
  }

  /** A frame of which the bits are the mask: they are moved together, and no other memory is used. */
  addBits(frame: number, mask: BitFrame): void {
    const box = findBitBox(mask) ?? EMPTY;
    const bits = new Uint8Array(bytesOfSamples('bits', box.rows * box.columns));
    for (let row = 0; row < box.rows; row += 1) {
      const at = (box.top + row) * mask.columns + box.left;
      // The last row of a frame that is cut ends early.
      const count = Math.min(box.columns, mask.bits.length * 8 - at);
      addBits({ bits: mask.bits, at }, { bits, at: row * box.columns }, count);
    }
    this.#keep(frame, box, bits, mask.damage);
  }

  #keep(frame: number, box: MaskBox, part: Uint8Array, damage: FrameDamage | undefined): void {
    this.#frames.push(frame);
    this.#boxes.push(box.top, box.left, box.rows, box.columns);
    this.#starts.push(this.#bytes);
    this.#bytes += part.length;
    this.#parts.push(part);
    if (damage !== undefined) this.#damaged.push({ frame, damage });
  }

  #encode({ samples, columns, values }: FrameSamples, box: MaskBox): Uint8Array {
    const count = box.rows * box.columns;
    const bytes = new Uint8Array(bytesOfSamples(this.#encoding, count));
    const write = WRITERS[this.#encoding];
    for (let row = 0; row < box.rows; row += 1) {
      const from = (box.top + row) * columns + box.left;
      write(bytes, row * box.columns, samples.subarray(from, from + box.columns), values);
    }
    return bytes;
  }

  build(): CroppedMasks {
    const samples = new Uint8Array(this.#bytes);
    for (const [i, part] of this.#parts.entries()) samples.set(part, this.#starts[i]);
    return {
      frames: Uint32Array.from(this.#frames),
      boxes: Int32Array.from(this.#boxes),
      starts: Uint32Array.from(this.#starts),
      encoding: this.#encoding,
      samples,
      damaged: this.#damaged,
    };
  }
}

/** Writes a row of samples, each as the value that it stands for. One loop for each encoding: frames can be huge. */
type RowWriter = (bytes: Uint8Array, at: number, row: Samples, values: Samples) => void;

const WRITERS: Readonly<Record<Encoding, RowWriter>> = {
  bits(bytes, start, row, values) {
    for (let i = 0, at = start; i < row.length; i++, at++) {
      if (values[row[i]!] !== 0) bytes[at >>> 3]! |= 1 << (at & 7);
    }
  },
  uint8(bytes, start, row, values) {
    for (let i = 0; i < row.length; i++) bytes[start + i] = values[row[i]!]!;
  },
  uint16(bytes, start, row, values) {
    for (let i = 0, at = 2 * start; i < row.length; i++, at += 2) {
      const value = values[row[i]!]!;
      bytes[at] = value & 0xff;
      bytes[at + 1] = value >>> 8;
    }
  },
};

type FrameSamples = {
  readonly samples: Samples;
  readonly columns: number;
  readonly values: Samples;
};

function bytesOfSamples(encoding: Encoding, count: number): number {
  return encoding === 'bits' ? Math.ceil(count / 8) : encoding === 'uint8' ? count : 2 * count;
}

/** Joins parts in shared memory, so that threads read it without a copy. The frames of the parts follow each other. */
export function joinCropped(parts: readonly CroppedMasks[]): CroppedMasks {
  const count = parts.reduce((sum, { frames }) => sum + frames.length, 0);
  const bytes = parts.reduce((sum, { samples }) => sum + samples.length, 0);
  const joined = {
    frames: new Uint32Array(count),
    boxes: new Int32Array(NUMBERS_OF_BOX * count),
    starts: new Uint32Array(count),
    samples: new Uint8Array(new SharedArrayBuffer(bytes)),
  };
  let [at, byte] = [0, 0];
  for (const part of parts) {
    joined.frames.set(part.frames, at);
    joined.boxes.set(part.boxes, NUMBERS_OF_BOX * at);
    for (const [i, start] of part.starts.entries()) joined.starts[at + i] = start + byte;
    joined.samples.set(part.samples, byte);
    at += part.frames.length;
    byte += part.samples.length;
  }
  return { ...joined, encoding: parts[0]?.encoding ?? 'bits', damaged: parts.flatMap(({ damaged }) => damaged) };
}

export function bytesOfCropped({ frames, boxes, starts, samples }: CroppedMasks): number {
  return frames.byteLength + boxes.byteLength + starts.byteLength + samples.byteLength;
}

/** Where the samples of a frame lie, by its number in the list of frames. */
export function boxOfMask({ boxes }: CroppedMasks, index: number): MaskBox {
  const [top = 0, left = 0, rows = 0, columns = 0] = boxes.subarray(
    NUMBERS_OF_BOX * index,
    NUMBERS_OF_BOX * (index + 1),
  );
  return { top, left, rows, columns };
}

/** Reads one sample of a cropped frame: its number in the list of frames, and the row and column of the whole frame. */
export function createMaskReader({ boxes, starts, encoding, samples }: CroppedMasks) {
  return (index: number, row: number, column: number): number => {
    const at = NUMBERS_OF_BOX * index;
    const y = row - boxes[at]!;
    const x = column - boxes[at + 1]!;
    const width = boxes[at + 3]!;
    if (y < 0 || x < 0 || x >= width || y >= boxes[at + 2]!) return 0;
    const inBox = y * width + x;
    const start = starts[index]!;
    if (encoding === 'bits') return (samples[start + (inBox >>> 3)]! >>> (inBox & 7)) & 1;
    if (encoding === 'uint8') return samples[start + inBox]!;
    return samples[start + 2 * inBox]! | (samples[start + 2 * inBox + 1]! << 8);
  };
}
