import { type StreamShape, DecodeError } from './codec.ts';

/** What a JPEG XL codestream declares before its first frame. ISO/IEC 18181-1, SizeHeader and ImageMetadata. */
export type JxlHeader = StreamShape & {
  /** Stored in the XYB color space, which only lossy encoding uses. The decoder returns RGB. */
  readonly xyb: boolean;
};

export function readJxlHeader(stream: Uint8Array): JxlHeader {
  const bits = new BitReader(findCodestream(stream));
  const { rows, columns } = readSize(bits);
  // All defaults: 8 bits, XYB, RGB.
  if (bits.flag()) return { rows, columns, components: 3, precision: 8, xyb: true };
  if (bits.flag()) refuseExtraFields(bits);
  if (bits.flag()) throw new DecodeError('the JPEG XL stream holds floating-point samples');
  const precision = bits.choose([8, 0], [10, 0], [12, 0], [1, 6]);
  bits.flag(); // Whether 16-bit buffers are sufficient.
  const extraChannels = bits.choose([0, 0], [1, 0], [2, 4], [1, 12]);
  if (extraChannels > 0)
    throw new DecodeError(`the JPEG XL stream has ${extraChannels} channels in addition to its colors`);
  const xyb = bits.flag();
  return { rows, columns, components: readComponents(bits), precision, xyb };
}

/** Returns the bare codestream, or its first part in the boxes of a JPEG XL file. */
function findCodestream(stream: Uint8Array): Uint8Array {
  if (stream[0] === 0xff && stream[1] === 0x0a) return stream.subarray(2);
  const view = new DataView(stream.buffer, stream.byteOffset, stream.length);
  for (let at = 0; at + 8 <= stream.length;) {
    const length = view.getUint32(at);
    const type = Buffer.from(stream.buffer, stream.byteOffset + at + 4, 4).toString('latin1');
    const header = length === 1 ? 16 : 8;
    // Skips the two-byte signature and, in `jxlp`, the four-byte part number before it.
    if (type === 'jxlc') return stream.subarray(at + header + 2);
    if (type === 'jxlp') return stream.subarray(at + header + 4 + 2);
    if (length < header) break;
    at += length;
  }
  throw new DecodeError('the stream does not start as JPEG XL');
}

const RATIOS = [
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
] as const;

function readSize(bits: BitReader): { rows: number; columns: number } {
  const isSmall = bits.flag();
  const edge = () => (isSmall ? (bits.read(5) + 1) * 8 : bits.choose([1, 9], [1, 13], [1, 18], [1, 30]));
  const rows = edge();
  const ratio = RATIOS[bits.read(3) - 1];
  return { rows, columns: ratio === undefined ? edge() : Math.floor((rows * ratio[0]) / ratio[1]) };
}

/** DICOM images use none of these fields; a decoder would rotate the image or return a different picture. */
function refuseExtraFields(bits: BitReader): void {
  if (bits.read(3) !== 0) throw new DecodeError('the JPEG XL stream declares a rotation or reflection');
  if (bits.flag()) readSize(bits); // Intrinsic size: a hint for display.
  if (bits.flag()) throw new DecodeError('the JPEG XL stream has a preview');
  if (bits.flag()) throw new DecodeError('the JPEG XL stream is an animation');
}

const GRAY = 1;

function readComponents(bits: BitReader): number {
  if (bits.flag()) return 3;
  bits.flag(); // Whether an ICC profile follows.
  return bits.choose([0, 0], [1, 0], [2, 4], [18, 6]) === GRAY ? 1 : 3;
}

/** Reads bits, starting with the lowest bit of the first byte. */
class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++, this.#at++) {
      const byte = this.#bytes[this.#at >>> 3];
      if (byte === undefined) throw new DecodeError('the JPEG XL header is truncated');
      value += ((byte >>> (this.#at & 7)) & 1) * 2 ** i;
    }
    return value;
  }

  flag(): boolean {
    return this.read(1) === 1;
  }

  /** U32 of the standard: two bits select one of four forms, each a constant plus a number of bits. */
  choose(...forms: readonly (readonly [constant: number, bits: number])[]): number {
    const [constant, count] = forms[this.read(2)]!;
    return constant + this.read(count);
  }
}
