import type { FrameDamage } from '../../../shared/frameDamage.ts';
import type { SampleArray } from '../../../shared/sampleArray.ts';
import type { ImagePixel } from '../imagePixel.ts';

/** Something that decoding did beside undoing the compression. */
export type DecodingChange =
  /** Planes, or JPEG-LS scans, became color-by-pixel. */
  | 'interleaved'
  /** Subsampled chroma came to full resolution. */
  | 'chroma_expanded'
  /** The samples are RGB, though they were stored as something else. */
  | 'color_converted'
  /** A lossy stream held values outside Bits Stored; they are at the nearest limit. */
  | 'clamped'
  /** The stream has fewer bits than the data set declares. */
  | 'widened'
  /** Decoded at a lower resolution than stored, as the caller allowed. */
  | 'reduced';

/**
 * One decoded frame. It repeats the attributes that decoding can change: a JPEG 2000 decoder turns YBR_RCT into RGB,
 * and a 12-bit stream may come in an 8-bit container.
 */
export type DecodedFrame = {
  readonly rows: number;
  readonly columns: number;
  readonly samplesPerPixel: number;
  /** 1 for one-bit data, though each sample is a byte; otherwise the bits of one element of `samples`. */
  readonly bitsAllocated: number;
  readonly pixelRepresentation: 0 | 1;
  readonly photometricInterpretation: string;
  /** rows x columns x samplesPerPixel stored values, color-by-pixel, padding bits cleared, sign extended. */
  readonly samples: SampleArray;
  readonly changes: readonly DecodingChange[];
  /** Undefined for a whole frame: nothing of it had to be invented. */
  readonly damage: FrameDamage | undefined;
  /** One byte a pixel, 0 or 1, for each of `DecodeOptions.planes`, in that order. */
  readonly planes: readonly Uint8Array[];
};

export type DecodeOptions = {
  /** A picture whose longer edge has at least this many pixels is enough. Codecs that cannot, decode the whole. */
  readonly enoughPixels?: number;
  /** Bits of the stored words that hold overlays instead of samples: Overlay Bit Position (60xx,0102). */
  readonly planes?: readonly number[];
};

/** Samples of one frame as a codec gives them, before Bits Stored and High Bit of the data set are applied. */
export type DecodedWords = {
  readonly rows: number;
  readonly columns: number;
  /** Color-by-pixel, little end first within an element. */
  readonly words: Uint8Array | Uint16Array | Uint32Array | BigUint64Array | Float32Array | Float64Array;
  /** How many low bits of a word carry information: Bits Allocated, or the precision of the stream. */
  readonly precision: number;
  /** True where the stream itself says that its words are two's complement of `precision` bits. */
  readonly signed: boolean;
  /** Lossy words can leave the declared range and are clamped; the others are masked, because their high bits are padding. */
  readonly lossy: boolean;
  readonly photometricInterpretation: string;
  readonly changes: readonly DecodingChange[];
  /** What the decoder had to invent; absent or undefined where it knows of nothing. */
  readonly damage?: FrameDamage | undefined;
};

/** One way of storing frames that a codec decodes. */
export type TransferSyntax = {
  readonly uid: string;
  /**
   * Whether samples differ from those that were compressed: of `may` the stream, or Lossy Image Compression (0028,2110),
   * tells.
   */
  readonly loses: 'never' | 'may' | 'always';
  /** `native`: one frame after the other, in the file as they are. `deflated`: the same, in a deflated data set. */
  readonly storage: 'native' | 'deflated' | 'fragments';
};

/** How the stream of a frame begins. */
export type FrameBeginning = {
  /** One of these. */
  readonly signatures: readonly (readonly number[])[];
  /** Whether it can be told from other bytes, so that it is found behind some that do not belong to the stream. */
  readonly isSearchable: boolean;
};

/** How large a frame is when it is decoded. */
export type FrameSize = { readonly samples: number; readonly bytes: number };

/** Turns the stored bytes of one frame into words. Adapters hold no state between frames. */
export interface Codec {
  /** The library that decodes, for error messages. */
  readonly name: string;
  readonly transferSyntaxes: readonly TransferSyntax[];
  /**
   * Tells the first fragment of a frame from the others. Without an offset table, which PS3.5 A.4 lets writers leave
   * empty, this alone says where a frame of several fragments ends. Undefined where streams have no such beginning:
   * RLE, deflated and uncompressed frames are one fragment each (PS3.5 A.4.2, A.4.13).
   */
  readonly beginning: FrameBeginning | undefined;
  /** Bytes that a decode holds beside the encoded frame, at its peak, generously. */
  readonly workingBytes: (frame: FrameSize) => number;
  /** Whether a stream that ends early is shown as far as it goes, with its damage named, or refused. */
  readonly cutStream: 'shown' | 'refused';
  /** Most bits a sample may have. */
  readonly maximumBits: number;
  /** Whether Float and Double Float Pixel Data may be stored this way. */
  readonly floats: boolean;
  decode(encoded: Uint8Array, pixel: ImagePixel, options: DecodeOptions): Promise<DecodedWords>;
}

/** Syntaxes that keep frames in fragments, as all compressed ones do, by what they lose. */
export function fragmented(uids: {
  readonly [Loses in TransferSyntax['loses']]?: readonly string[];
}): TransferSyntax[] {
  const of = (loses: TransferSyntax['loses']) =>
    (uids[loses] ?? []).map((uid) => ({ uid, loses, storage: 'fragments' }) as const);
  return [...of('never'), ...of('may'), ...of('always')];
}

/** Whether a codec declares that a syntax of its own can lose something. */
export function canLose({ transferSyntaxes }: Codec, uid: string): boolean {
  return transferSyntaxes.some((syntax) => syntax.uid === uid && syntax.loses !== 'never');
}

/** Why a stream cannot be decoded. The caller adds which frame, and turns it into `pixel_decode_failed`. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}
