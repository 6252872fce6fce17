import type { FrameDamage } from '../../../../shared/frameDamage.ts';
import type { SampleArray } from '../../../../shared/sampleArray.ts';
import type { ImagePixel } from '../imagePixel.ts';

/** A change that decoding made besides undoing the compression. */
export type DecodingChange =
  /** Planes, or JPEG-LS scans, were converted to color-by-pixel. */
  | 'interleaved'
  /** Subsampled chroma was expanded to full resolution. */
  | 'chroma_expanded'
  /** The samples are RGB, but were stored in another color space. */
  | 'color_converted'
  /** A lossy stream held values outside Bits Stored, which were clamped to the nearest limit. */
  | 'clamped'
  /** The stream has fewer bits than the data set declares. */
  | 'widened'
  /** Decoded at a lower resolution than stored, because the caller allowed it. */
  | 'reduced';

/**
 * One decoded frame. It repeats the attributes that decoding can change: a JPEG 2000 decoder turns YBR_RCT into RGB,
 * and a 12-bit stream may come in an 8-bit container.
 */
export type DecodedFrame = {
  readonly rows: number;
  readonly columns: number;
  readonly samplesPerPixel: number;
  /** 1 for one-bit data, although each sample takes a byte; otherwise the bits of one element of `samples`. */
  readonly bitsAllocated: number;
  readonly pixelRepresentation: 0 | 1;
  readonly photometricInterpretation: string;
  /** rows x columns x samplesPerPixel stored values, color-by-pixel, padding bits cleared, sign extended. */
  readonly samples: SampleArray;
  readonly changes: readonly DecodingChange[];
  /** Undefined for a complete frame, of which nothing had to be made up. */
  readonly damage: FrameDamage | undefined;
  /** How many samples were outside the range of Bits Stored, so that other values are given for them. */
  readonly outOfRange?: number;
  /** One byte per pixel, 0 or 1, for each of `DecodeOptions.planes`, in the same order. */
  readonly planes: readonly Uint8Array[];
};

export type DecodeOptions = {
  /**
   * A picture whose longer edge has at least this many pixels is sufficient. Codecs that cannot reduce decode at full
   * resolution.
   */
  readonly enoughPixels?: number;
  /** Bits of the stored words that hold overlays rather than samples: Overlay Bit Position (60xx,0102). */
  readonly planes?: readonly number[];
};

/** Samples of one frame as a codec returns them, before the data set's Bits Stored and High Bit are applied. */
export type DecodedWords = {
  readonly rows: number;
  readonly columns: number;
  /** Color-by-pixel, elements in little-endian order. */
  readonly words: Uint8Array | Uint16Array | Uint32Array | BigUint64Array | Float32Array | Float64Array;
  /** Number of low bits of a word that carry information: Bits Allocated, or the precision of the stream. */
  readonly precision: number;
  /** True if the stream itself declares its words as two's complement of `precision` bits. */
  readonly signed: boolean;
  /**
   * Lossy words can exceed the declared range and are clamped. Others are masked, because their high bits are padding.
   */
  readonly lossy: boolean;
  readonly photometricInterpretation: string;
  readonly changes: readonly DecodingChange[];
  /** What the decoder had to make up; absent or undefined if it reports nothing. */
  readonly damage?: FrameDamage | undefined;
};

/** A transfer syntax that a codec decodes. */
export type TransferSyntax = {
  readonly uid: string;
  /** Whether compression changes the samples. For `may`, the stream or Lossy Image Compression (0028,2110) decides. */
  readonly loses: 'never' | 'may' | 'always';
  /**
   * `native`: uncompressed frames, one after the other in the file. `deflated`: the same, inside a deflated data set.
   */
  readonly storage: 'native' | 'deflated' | 'fragments';
};

/** How the stream of a frame begins. */
export type FrameBeginning = {
  /** The stream begins with one of these. */
  readonly signatures: readonly (readonly number[])[];
  /**
   * Whether the signatures are distinctive enough to be searched for behind leading bytes that are not part of the
   * stream.
   */
  readonly isSearchable: boolean;
};

/** Size of a decoded frame. */
export type FrameSize = { readonly samples: number; readonly bytes: number };

/** Decodes the stored bytes of one frame into words. Adapters hold no state between frames. */
export interface Codec {
  /** The decoding library, named in error messages. */
  readonly name: string;
  readonly transferSyntaxes: readonly TransferSyntax[];
  /**
   * Identifies the first fragment of a frame. PS3.5 A.4 allows an empty offset table; without one, this is the only way
   * to find where a frame of several fragments ends. Undefined if streams have no signature: RLE, deflated and
   * uncompressed frames are one fragment each (PS3.5 A.4.2, A.4.13).
   */
  readonly beginning: FrameBeginning | undefined;
  /** Generous estimate of the peak memory of a decode, in bytes, without the encoded frame. */
  readonly workingBytes: (frame: FrameSize) => number;
  /** Whether a truncated stream is decoded as far as it goes, with its damage reported, or refused. */
  readonly cutStream: 'shown' | 'refused';
  /** Maximum number of bits per sample. */
  readonly maximumBits: number;
  /** Whether Float and Double Float Pixel Data can be stored in this format. */
  readonly floats: boolean;
  decode(encoded: Uint8Array, pixel: ImagePixel, options: DecodeOptions): Promise<DecodedWords>;
}

/** Transfer syntaxes that store frames in fragments, as all compressed ones do, grouped by what they lose. */
export function fragmented(uids: {
  readonly [Loses in TransferSyntax['loses']]?: readonly string[];
}): TransferSyntax[] {
  const of = (loses: TransferSyntax['loses']) =>
    (uids[loses] ?? []).map((uid) => ({ uid, loses, storage: 'fragments' }) as const);
  return [...of('never'), ...of('may'), ...of('always')];
}

/** Whether the codec declares that this transfer syntax can be lossy. */
export function canLose({ transferSyntaxes }: Codec, uid: string): boolean {
  return transferSyntaxes.some((syntax) => syntax.uid === uid && syntax.loses !== 'never');
}

/**
 * The reason why a stream cannot be decoded. The caller adds the frame number and converts it to `pixel_decode_failed`.
 */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** The properties that every codestream declares before its data. */
export type StreamShape = {
  readonly rows: number;
  readonly columns: number;
  readonly components: number;
  /** Bits per sample. */
  readonly precision: number;
};

/** Maximum decoded size that a stream may declare, unless MAXIMUM_RATIO allows more. */
const MAXIMUM_CLAIMED_BYTES = 2 ** 30;
/** A larger size is allowed up to this ratio to the encoded size, which none of these codecs comes near on an image. */
const MAXIMUM_RATIO = 10_000;

/**
 * Refuses a stream that contradicts its data set: the size declared in the stream determines how much memory the
 * decoder allocates, and pixels of another image would be shown as this one.
 */
export function checkAgreement(stream: StreamShape, pixel: ImagePixel, encodedBytes: number): void {
  const { rows, columns, components, precision } = stream;
  if (rows !== pixel.rows || columns !== pixel.columns || components !== pixel.samplesPerPixel) {
    throw new DecodeError(
      `the codestream has ${describe(rows, columns, components)}, ` +
        `the data set ${describe(pixel.rows, pixel.columns, pixel.samplesPerPixel)}`,
    );
  }
  const claimed = rows * columns * components * (precision > 8 ? 2 : 1);
  if (claimed > MAXIMUM_CLAIMED_BYTES && claimed > encodedBytes * MAXIMUM_RATIO) {
    throw new DecodeError(`${encodedBytes} bytes claim to hold ${claimed} bytes of samples`);
  }
}

function describe(rows: number, columns: number, components: number): string {
  return `${rows} rows, ${columns} columns, ${components} component${components === 1 ? '' : 's'}`;
}

/** The damage of a frame of which only the first `present` pixels, row by row, are complete. The share is exact. */
export function damageFromPixels(present: number, { rows, columns }: { rows: number; columns: number }): FrameDamage {
  return {
    kind: 'truncated',
    missing: 1 - present / (rows * columns),
    intactRows: Math.floor(present / columns),
  };
}

/** Damage of unknown extent. */
export function unmeasuredDamage(kind: FrameDamage['kind']): FrameDamage {
  return { kind, missing: undefined, intactRows: 0 };
}

/** The damage of a stream that ends after `wholeScans` complete scans, each of which contributes to all pixels. */
export function cutAfterScans(wholeScans: number): FrameDamage {
  return { ...unmeasuredDamage('truncated'), wholeScans };
}
