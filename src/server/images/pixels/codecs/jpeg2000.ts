import type { ImagePixel } from '../imagePixel.ts';
import {
  checkAgreement,
  canLose,
  type Codec,
  type DecodedWords,
  DecodeError,
  type DecodeOptions,
  type DecodingChange,
  fragmented,
  type FrameBeginning,
  type FrameSize,
  unmeasuredDamage,
} from './codec.ts';
import { completeCodestream, dropTrailingComment, findCodestream, type J2kHeader, readJ2kHeader } from './j2kHeader.ts';
import { isUsualRest } from './j2kRest.ts';
import { checkJ2kPackets } from './j2kPackets.ts';
import { decodeJ2k } from './kernels/decodeJ2k.ts';
import { createWasmLibrary, loadEmscripten } from './loadLibrary.ts';
import { type J2kDecoder, type J2kSamples, runJ2kDecoder } from './runJ2kDecoder.ts';

type OpenJpeg = { readonly J2KDecoder: new () => OpenJpegDecoder };
/** Layer 0 means all layers. */
type OpenJpegDecoder = J2kDecoder & { decodeSubResolution(level: number, layer: number): void };

const openJpeg = createWasmLibrary(() =>
  loadEmscripten<OpenJpeg>('openjpegwasm_decode.cjs', 'openjpegwasm_decode.wasm', isHarmless),
);

/** A stream that may have start markers of packets need not have them. T.800 A.8.1. */
function isHarmless(message: string): boolean {
  return /expected SOP marker/i.test(message) || isUsualRest(message);
}

/** A bare codestream, or a JP2 file around it. */
export const J2K_BEGINNING: FrameBeginning = {
  signatures: [
    [0xff, 0x4f, 0xff, 0x51],
    [0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20],
  ],
  isSearchable: true,
};

/** 32-bit coefficients, in more than one copy. */
export function j2kWorkingBytes({ samples, bytes }: FrameSize): number {
  return samples * 16 + bytes * 2;
}

/** JPEG 2000, and the Part 2 transfer syntaxes as long as their streams conform to Part 1. */
export const jpeg2000: Codec = {
  name: 'OpenJPEG',
  transferSyntaxes: fragmented({
    never: ['1.2.840.10008.1.2.4.90', '1.2.840.10008.1.2.4.92'],
    may: ['1.2.840.10008.1.2.4.91', '1.2.840.10008.1.2.4.93'],
  }),
  beginning: J2K_BEGINNING,
  workingBytes: j2kWorkingBytes,
  cutStream: 'shown',
  maximumBits: 16,
  floats: false,

  async decode(encoded, pixel, options) {
    const { codestream, header } = openCodestream(encoded, pixel);
    const frame = { header, pixel, canLose: canLose(jpeg2000, pixel.transferSyntaxUid) };
    const level = reductionLevel(header, options);
    const bytes = decodeJ2k(codestream, header, level);
    if (bytes === undefined) return decodeWithOpenJpeg(codestream, { ...frame, options });
    return describeJ2kWords(toWords(bytes, header), { ...frame, level, isDoubtful: false });
  },
};

/** Returns the codestream and its header after checking that they agree with the data set. */
export function openCodestream(encoded: Uint8Array, pixel: ImagePixel) {
  const codestream = dropTrailingComment(findCodestream(encoded));
  const header = readJ2kHeader(codestream);
  checkAgreement(header, pixel, encoded.length);
  if (header.precision > 16) throw new DecodeError(`${header.precision} bits per sample are more than 16`);
  if (header.arrayTransform) throw new DecodeError('array-based component transforms of Part 2 are not supported');
  return { codestream, header };
}

type J2kFrame = {
  readonly header: J2kHeader;
  readonly pixel: ImagePixel;
  /**
   * With a transfer syntax that can be lossy, a reversible stream may have been truncated, and then it overshoots like
   * any lossy stream.
   */
  readonly canLose: boolean;
};

export async function decodeWithOpenJpeg(
  codestream: Uint8Array,
  { options, ...frame }: J2kFrame & { readonly options: DecodeOptions },
): Promise<DecodedWords> {
  const { header } = frame;
  const level = reductionLevel(header, options);
  const prepared = checkTermination(prepareCodestream(codestream, header), header);
  const decode = (stream: Uint8Array) =>
    openJpeg.use(({ library, messages }) =>
      runJ2kDecoder(new library.J2KDecoder(), { codestream: stream, header, level, decodeReduced, messages }),
    );
  const { bytes, isDoubtful } = await decode(prepared).catch((error: unknown) => {
    const { cutDataAt } = header.extent;
    if (!(error instanceof DecodeError) || cutDataAt === undefined) throw error;
    const { hasPacketEnds } = header;
    return decodeWithoutEnd(prepared, { start: cutDataAt, end: codestream.length, hasPacketEnds, decode, error });
  });
  lowerSamples(bytes, header);
  return describeJ2kWords(toWords(bytes, header), {
    ...frame,
    level,
    isDoubtful: isDoubtful || checkJ2kPackets(codestream, header) === 'wrong',
  });
}

const PREDICTABLE_TERMINATION = 0x10;

/**
 * Makes OpenJPEG report code-blocks whose passes need more or fewer bytes than they have, as it does for streams that
 * promise predictable termination. Nothing else depends on that promise.
 */
function checkTermination(codestream: Uint8Array, { blockStylePositions, highThroughput }: J2kHeader): Uint8Array {
  if (highThroughput) return codestream;
  const checked = Uint8Array.from(codestream);
  for (const position of blockStylePositions) checked[position] = checked[position]! | PREDICTABLE_TERMINATION;
  return checked;
}

function toWords(bytes: Uint8Array<ArrayBuffer>, { precision }: J2kHeader): Uint8Array | Uint16Array {
  return precision > 8 ? new Uint16Array(bytes.buffer) : bytes;
}

type CutData = {
  /** Start and end of the data that remains in the truncated tile-part. */
  readonly start: number;
  readonly end: number;
  readonly hasPacketEnds: boolean;
  readonly decode: (stream: Uint8Array) => Promise<J2kSamples>;
  readonly error: DecodeError;
};

/** An empty packet, and one whose header ends with a marker. T.800 B.10.3 and A.8.2. */
const EMPTY_PACKET = [0];
const EMPTY_MARKED_PACKET = [0, 0xff, 0x92];

/**
 * A cut within a packet header can make it announce more data than is present, for which OpenJPEG refuses the whole
 * stream. A cut some bytes earlier falls into packet data, which is harmless. What follows are empty packets; if these are
 * longer than a byte, where the first one begins is tried.
 */
async function decodeWithoutEnd(stream: Uint8Array, cut: CutData): Promise<J2kSamples> {
  const { start, end, hasPacketEnds, decode, error } = cut;
  const packet = hasPacketEnds ? EMPTY_MARKED_PACKET : EMPTY_PACKET;
  for (const dropped of hasPacketEnds ? [0, ...DROPPED_BYTES] : DROPPED_BYTES) {
    const from = end - dropped;
    if (from <= start) break;
    for (let shift = 0; shift < packet.length; shift++) {
      const shorter = Uint8Array.from(stream);
      // The last two bytes are the end marker.
      for (let at = from; at < shorter.length - 2; at++) shorter[at] = packet[(at - from + shift) % packet.length]!;
      try {
        return await decode(shorter);
      } catch (failure) {
        if (!(failure instanceof DecodeError)) throw failure;
      }
    }
  }
  throw error;
}

const DROPPED_BYTES = [4, 16, 64, 256];

function decodeReduced(decoder: OpenJpegDecoder, level: number): void {
  decoder.decodeSubResolution(level, 0);
}

type J2kOutcome = J2kFrame & {
  readonly level: number;
  /** The decoder reported a problem and continued. */
  readonly isDoubtful: boolean;
};

/** Describes the samples that the decoder returned. */
export function describeJ2kWords(
  words: Uint8Array | Uint16Array,
  { header, pixel, level, isDoubtful, canLose: isLossy }: J2kOutcome,
): DecodedWords {
  const { photometricInterpretation: stored } = pixel;
  const changes: DecodingChange[] = [];
  if (level > 0) changes.push('reduced');
  const isRgb = header.components === 3 && (header.componentTransform || stored === 'YBR_RCT' || stored === 'YBR_ICT');
  if (isRgb && stored !== 'RGB') changes.push('color_converted');
  return {
    rows: Math.ceil(header.rows / 2 ** level),
    columns: Math.ceil(header.columns / 2 ** level),
    words,
    precision: header.precision,
    signed: header.signed,
    lossy: !header.reversible || level > 0 || isLossy,
    photometricInterpretation: isRgb ? 'RGB' : stored === 'YBR_FULL_422' ? 'YBR_FULL' : stored,
    changes,
    damage: header.extent.damage ?? (isDoubtful ? unmeasuredDamage('corrupt') : undefined),
  };
}

/** How many times the edges can be halved while keeping enough pixels. */
export function reductionLevel({ rows, columns, resolutions }: J2kHeader, { enoughPixels }: DecodeOptions): number {
  if (enoughPixels === undefined) return 0;
  const halvings = Math.floor(Math.log2(Math.max(rows, columns) / Math.max(1, enoughPixels)));
  return Math.max(0, Math.min(halvings, resolutions - 1));
}

/** Prepares the codestream for the decoders: completed, and with signed samples of up to 8 bits declared unsigned. */
export function prepareCodestream(codestream: Uint8Array, header: J2kHeader): Uint8Array {
  const whole = completeCodestream(codestream, header.extent);
  if (!isRaised(header)) return whole;
  const unsigned = Uint8Array.from(whole);
  for (const position of header.signPositions) unsigned[position] = unsigned[position]! & 0x7f;
  return unsigned;
}

/** Undoes the change that `prepareCodestream` makes to signed samples of up to 8 bits. */
export function lowerSamples(bytes: Uint8Array, header: J2kHeader): void {
  if (!isRaised(header)) return;
  const half = 2 ** (header.precision - 1);
  for (let i = 0; i < bytes.length; i++) bytes[i] = bytes[i]! - half;
}

/**
 * The bindings clamp negative samples of up to 8 bits to 0. Declared unsigned, they are returned raised by half the
 * range.
 */
function isRaised({ signed, precision }: J2kHeader): boolean {
  return signed && precision <= 8;
}
