import type { SupportState } from '../../../shared/contract/files.ts';
import { type ErrorCode, ViewerError } from '../../../shared/contract/errors.ts';
import type { Codec } from './codecs/codec.ts';
import { findCodec, type SyntaxRefusal } from './codecs/registry.ts';
import { countNativeFrames, isHalfChroma } from './frameLayout.ts';
import { type ImagePixel, type PixelDescription, sampleKindOf } from './imagePixel.ts';

/** Maximum number of pixels in one frame. */
const MAXIMUM_FRAME_PIXELS = 268_435_456;

export type SupportReason =
  | SyntaxRefusal
  | 'transfer_syntax.mismatch'
  | 'pixel_data.absent'
  | 'pixel_data.inflate_limit'
  | 'pixel_data.truncated'
  | 'masked.slide_label'
  | LayoutReason;

type LayoutReason = `pixel_layout.${LayoutProblem}`;

type LayoutProblem =
  | `${'rows' | 'columns' | 'samples_per_pixel' | 'bits_allocated' | 'bits_stored'}_missing`
  | 'pixel_representation_missing'
  | 'photometric_interpretation_missing'
  | 'number_of_frames'
  | 'size_zero'
  | 'too_large'
  | 'bits_allocated'
  | 'bits_stored'
  | 'pixel_representation'
  | 'samples_per_pixel'
  | 'photometric_interpretation'
  | 'argb'
  | 'cmyk'
  | 'hsv'
  | 'palette_missing'
  | 'odd_columns_422'
  | 'float_samples';

export type Support =
  | { readonly state: 'renderable'; readonly reason: undefined }
  | { readonly state: Exclude<SupportState, 'renderable'>; readonly reason: SupportReason };

/**
 * Whether the frames of a file can be shown, by the same rules that decoding follows. `frameCount` is given if it is
 * known from reading the fragments; for native pixel data it follows from the length.
 */
export function assessSupport(description: PixelDescription, frameCount?: number): Support {
  const examined = examine(description, frameCount);
  if (examined.ok) return { state: 'renderable', reason: undefined };
  const { reason } = examined;
  return { state: reason === 'pixel_data.absent' ? 'metadata_only' : 'unsupported', reason };
}

/**
 * Returns the description of a file that can be shown, with its codec; otherwise throws the error that tells the client
 * why not.
 */
export function toImagePixel(description: PixelDescription): { readonly pixel: ImagePixel; readonly codec: Codec } {
  const examined = examine(description, undefined);
  if (examined.ok) return examined;
  throw new ViewerError(errorCodeOf(examined.reason), explainSupport(examined.reason, description));
}

/** A user-readable explanation of the reason. */
export function explainSupport(reason: SupportReason, description: PixelDescription): string {
  return isLayoutReason(reason) ? explainLayout(reason, description) : EXPLAINED[reason](description.transferSyntaxUid);
}

const EXPLAINED: { readonly [Reason in Exclude<SupportReason, LayoutReason>]: (transferSyntaxUid: string) => string } =
  {
    'transfer_syntax.video': (uid) =>
      `the pixel data is a video stream (transfer syntax ${uid}), which is not decoded into frames`,
    'transfer_syntax.jpip': (uid) => `the pixel data is on a JPIP server (transfer syntax ${uid}), not in this file`,
    'transfer_syntax.smpte_st_2110': (uid) => `the transfer syntax ${uid} is for real-time video over a network`,
    'transfer_syntax.not_supported': (uid) => `no decoder for the transfer syntax ${uid}`,
    'transfer_syntax.unknown': (uid) => `the transfer syntax ${uid} is not defined by the standard`,
    'transfer_syntax.mismatch': (uid) =>
      `the transfer syntax ${uid} and the encoding of the pixel data contradict each other`,
    'pixel_data.absent': () => 'the file has no pixel data',
    'pixel_data.inflate_limit': () => INFLATE_LIMIT,
    'masked.slide_label': () => 'pictures of the label of a slide are not shown in a masked run',
    'pixel_data.truncated': () => 'the file ends before its first frame is complete',
  };

/** Of a deflated file whose pixel data is not reached. */
export const INFLATE_LIMIT =
  'the pixel data lies beyond the limit for a deflated data set, of which 512 MiB are inflated, after 64 MiB at most 200 ' +
  'times its length in the file, and no more than the part of --memory that a thread has';

function isLayoutReason(reason: SupportReason): reason is LayoutReason {
  return reason.startsWith('pixel_layout.');
}

function explainLayout(reason: LayoutReason, description: PixelDescription): string {
  const problem = reason.slice(reason.indexOf('.') + 1);
  const { rows, columns, samplesPerPixel, bitsAllocated, bitsStored, photometricInterpretation } = description;
  const layout = [
    `${rows ?? '?'} x ${columns ?? '?'} pixels`,
    `${samplesPerPixel ?? '?'} samples of ${bitsStored ?? '?'} in ${bitsAllocated ?? '?'} bits`,
    photometricInterpretation ?? 'no photometric interpretation',
  ].join(', ');
  return `the pixel layout cannot be shown (${problem.replaceAll('_', ' ')}): ${layout}`;
}

function errorCodeOf(reason: SupportReason): ErrorCode {
  if (reason === 'pixel_data.absent') return 'no_pixel_data';
  if (reason === 'pixel_data.inflate_limit') return 'decode_memory_exceeded';
  if (reason === 'pixel_data.truncated') return 'pixel_decode_failed';
  if (reason === 'masked.slide_label') return 'masked';
  return reason.startsWith('transfer_syntax.') ? 'unsupported_transfer_syntax' : 'unsupported_pixel_layout';
}

type Examined =
  | { readonly ok: true; readonly pixel: ImagePixel; readonly codec: Codec }
  | { readonly ok: false; readonly reason: SupportReason };

function examine(description: PixelDescription, frameCount: number | undefined): Examined {
  const { pixelData, transferSyntaxUid } = description;
  const lookup = findCodec(transferSyntaxUid);
  const isReferenced = !lookup.found && lookup.reason === 'transfer_syntax.jpip';
  if (pixelData === undefined || (pixelData.length === 0 && !isReferenced)) {
    return refuse(isReferenced ? 'transfer_syntax.jpip' : 'pixel_data.absent');
  }
  if (!lookup.found) return refuse(lookup.reason);
  if (description.isMaskedLabel === true) return refuse('masked.slide_label');
  const { codec, syntax } = lookup;
  if (pixelData.encapsulated !== (syntax.storage === 'fragments')) return refuse('transfer_syntax.mismatch');

  const pixel = completePixel(description, pixelData);
  if (typeof pixel === 'string') return refuse(`pixel_layout.${pixel}`);
  const problem = findSizeProblem(pixel) ?? findBitsProblem(pixel, codec) ?? findColorProblem(pixel, description);
  if (problem !== undefined) return refuse(`pixel_layout.${problem}`);

  const frames = frameCount ?? (pixel.encapsulated ? 1 : countNativeFrames(pixel, pixelData.length));
  return frames === 0 ? refuse('pixel_data.truncated') : { ok: true, pixel, codec };
}

function refuse(reason: SupportReason): Examined {
  return { ok: false, reason };
}

function completePixel(
  description: PixelDescription,
  pixelData: NonNullable<PixelDescription['pixelData']>,
): ImagePixel | LayoutProblem {
  const { rows, columns, samplesPerPixel, bitsAllocated, numberOfFrames, photometricInterpretation } = description;
  const sampleKind = sampleKindOf(pixelData.tag);
  // Float samples have neither attribute: PS3.3 C.7.6.24.
  const bitsStored = sampleKind === 'integer' ? description.bitsStored : bitsAllocated;
  const pixelRepresentation = sampleKind === 'integer' ? description.pixelRepresentation : 0;
  if (rows === undefined) return 'rows_missing';
  if (columns === undefined) return 'columns_missing';
  if (samplesPerPixel === undefined) return 'samples_per_pixel_missing';
  if (bitsAllocated === undefined) return 'bits_allocated_missing';
  if (bitsStored === undefined) return 'bits_stored_missing';
  if (pixelRepresentation === undefined) return 'pixel_representation_missing';
  if (photometricInterpretation === undefined) return 'photometric_interpretation_missing';
  if (numberOfFrames === undefined) return 'number_of_frames';
  if (pixelRepresentation !== 0 && pixelRepresentation !== 1) return 'pixel_representation';
  return {
    transferSyntaxUid: description.transferSyntaxUid,
    rows,
    columns,
    samplesPerPixel,
    bitsAllocated,
    bitsStored,
    highBit: plausibleHighBit(description.highBit, bitsStored, bitsAllocated),
    pixelRepresentation,
    photometricInterpretation,
    planarConfiguration: description.planarConfiguration === 1 ? 1 : 0,
    numberOfFrames,
    sampleKind,
    pixelDataVr: pixelData.vr,
    encapsulated: pixelData.encapsulated,
  };
}

/** The current standard allows only Bits Stored - 1, so an impossible High Bit is ignored. */
function plausibleHighBit(highBit: number | undefined, bitsStored: number, bitsAllocated: number): number {
  return highBit !== undefined && highBit >= bitsStored - 1 && highBit < bitsAllocated ? highBit : bitsStored - 1;
}

function findSizeProblem({ rows, columns }: ImagePixel): LayoutProblem | undefined {
  if (!(rows > 0 && columns > 0)) return 'size_zero';
  return rows * columns > MAXIMUM_FRAME_PIXELS ? 'too_large' : undefined;
}

function findBitsProblem(pixel: ImagePixel, codec: Codec): LayoutProblem | undefined {
  const { bitsAllocated, bitsStored, sampleKind, encapsulated } = pixel;
  if (sampleKind !== 'integer') {
    if (!codec.floats) return 'float_samples';
    return bitsAllocated === (sampleKind === 'float32' ? 32 : 64) ? undefined : 'bits_allocated';
  }
  const isWholeBytes = bitsAllocated % 8 === 0 || bitsAllocated === 1;
  // Packed samples that are neither one bit nor whole bytes are retired, and were never used with compression.
  if (!(bitsAllocated >= 1 && bitsAllocated <= 64) || (encapsulated && !isWholeBytes)) return 'bits_allocated';
  return bitsStored >= 1 && bitsStored <= Math.min(bitsAllocated, codec.maximumBits) ? undefined : 'bits_stored';
}

const ONE_SAMPLE = ['MONOCHROME1', 'MONOCHROME2', 'PALETTE COLOR'];
const THREE_SAMPLES = ['RGB', 'YBR_FULL', 'YBR_FULL_422', 'YBR_PARTIAL_422'];
/** Color spaces that exist only in compressed streams. */
const COMPRESSED_COLOR = ['YBR_PARTIAL_420', 'YBR_ICT', 'YBR_RCT', 'XYB'];

function findColorProblem(pixel: ImagePixel, description: PixelDescription): LayoutProblem | undefined {
  const { photometricInterpretation: name, samplesPerPixel, encapsulated, sampleKind } = pixel;
  if (name === 'ARGB') return 'argb';
  if (name === 'CMYK') return 'cmyk';
  if (name === 'HSV') return 'hsv';
  if (ONE_SAMPLE.includes(name)) {
    if (samplesPerPixel !== 1) return 'samples_per_pixel';
    return name === 'PALETTE COLOR' && !description.hasPalette ? 'palette_missing' : undefined;
  }
  if (sampleKind !== 'integer') return 'float_samples';
  if (!THREE_SAMPLES.includes(name) && !(encapsulated && COMPRESSED_COLOR.includes(name))) {
    return 'photometric_interpretation';
  }
  if (samplesPerPixel !== 3) return 'samples_per_pixel';
  const isHalved = !encapsulated && isHalfChroma(pixel, description.pixelData?.length ?? 0);
  return isHalved && pixel.columns % 2 === 1 ? 'odd_columns_422' : undefined;
}
