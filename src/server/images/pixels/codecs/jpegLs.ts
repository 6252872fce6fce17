import type { FrameDamage } from '../../../../shared/frameDamage.ts';
import { checkAgreement, type Codec, DecodeError, type DecodingChange, fragmented, cutAfterScans } from './codec.ts';
import { interleavePlanes } from './colorLayout.ts';
import { JPEG_BEGINNING, type JpegHeader, readJpegHeader } from './jpegHeader.ts';
import { createWasmLibrary, loadEmscripten } from './loadLibrary.ts';

type CharLs = {
  readonly JpegLSDecoder: new () => JpegLsDecoder;
  getExceptionMessage(thrown: number): string;
};
type JpegLsDecoder = {
  getEncodedBuffer(length: number): Uint8Array;
  decode(): void;
  getDecodedBuffer(): Uint8Array;
  delete(): void;
};

const charLs = createWasmLibrary(() => loadEmscripten<CharLs>('charlswasm_decode.cjs', 'charlswasm_decode.wasm'));

const JPEG_LS = 55;

export const jpegLs: Codec = {
  name: 'CharLS',
  transferSyntaxes: fragmented({ never: ['1.2.840.10008.1.2.4.80'], always: ['1.2.840.10008.1.2.4.81'] }),
  beginning: JPEG_BEGINNING,
  workingBytes: ({ bytes }) => bytes * 5,
  cutStream: 'shown',
  maximumBits: 16,
  floats: false,

  async decode(encoded, pixel) {
    const header = readJpegHeader(encoded);
    checkAgreement(header, pixel, encoded.length);
    if (header.process !== JPEG_LS) throw new DecodeError('the stream is JPEG, not JPEG-LS');
    const { rows, columns, components, precision, near } = header;
    const { bytes, damage } = header.hasEnd
      ? { bytes: await decodeWithCharLs(encoded, sizeOf(header)), damage: undefined }
      : await decodeCut(encoded, header);
    const decoded = precision > 8 ? new Uint16Array(bytes.buffer) : bytes;
    const isPlanar = components > 1 && header.interleave === 0;
    const changes: DecodingChange[] = isPlanar ? ['interleaved'] : [];
    const { photometricInterpretation: stored } = pixel;
    return {
      rows,
      columns,
      words: isPlanar ? interleavePlanes(decoded, components) : decoded,
      precision,
      signed: false,
      lossy: near > 0,
      photometricInterpretation: stored === 'YBR_FULL_422' ? 'YBR_FULL' : stored,
      changes,
      damage,
    };
  },
};

function sizeOf({ rows, columns, components, precision }: JpegHeader): number {
  return rows * columns * components * (precision > 8 ? 2 : 1);
}

async function decodeWithCharLs(encoded: Uint8Array, size: number): Promise<Uint8Array<ArrayBuffer>> {
  // With an end marker appended, a truncated stream fails at once; without it, CharLS spins for seconds.
  const { bytes, failure } = await tryCharLs(encoded, END);
  if (failure !== undefined) throw new DecodeError(failure);
  if (bytes.length !== size) throw new DecodeError(`the decoder returned ${bytes.length} of ${size} bytes`);
  return bytes;
}

const END = [0xff, 0xd9];

type Attempt = {
  /** The rows that were decoded, followed by zeros. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly failure: string | undefined;
};

function tryCharLs(encoded: Uint8Array, ending: readonly number[]): Promise<Attempt> {
  return charLs.use(({ library, giveUp }) => {
    const decoder = new library.JpegLSDecoder();
    const buffer = decoder.getEncodedBuffer(encoded.length + ending.length);
    buffer.set(encoded);
    buffer.set(ending, encoded.length);
    let failure: string | undefined;
    try {
      decoder.decode();
    } catch (error) {
      if (typeof error !== 'number') throw new DecodeError(String(error), { cause: error });
      failure = library.getExceptionMessage(error) || 'the decoder failed';
      giveUp();
    }
    const bytes = new Uint8Array(decoder.getDecodedBuffer());
    decoder.delete();
    return { bytes, failure };
  });
}

/** Decodes a stream that lacks its end marker as far as possible, and measures how many rows are present. */
async function decodeCut(encoded: Uint8Array, header: JpegHeader) {
  const { bytes, failure } = await tryCharLs(encoded, END);
  const size = sizeOf(header);
  if (bytes.length !== size) throw new DecodeError(failure ?? `the decoder returned ${bytes.length} of ${size} bytes`);
  const damage =
    failure === undefined ? await findLostTail(encoded, bytes, header) : await measureCut(encoded, bytes, header);
  return { bytes, damage };
}

/** One bits where CharLS would otherwise read zeros. No byte is FF, which would be followed by a stuffed bit. */
const ONES = Array<number>(8).fill(0x7f);

/** Even if the decoder reached the end, the last pixels may have been decoded from missing bits. */
async function findLostTail(
  encoded: Uint8Array,
  bytes: Uint8Array,
  { rows }: JpegHeader,
): Promise<FrameDamage | undefined> {
  const other = await tryCharLs(encoded, [...ONES, ...END]);
  if (Buffer.compare(bytes, other.bytes) === 0) return undefined;
  return { kind: 'truncated', missing: 1 / rows, intactRows: rows - 1 };
}

/** The CharLS message when all rows are decoded and bytes are left over. */
const HAS_MORE = /decoding process is ready/;

/**
 * Finds how many rows a truncated stream holds by decoding it with fewer declared rows. The last row present may end in
 * made-up bits and counts as missing, so the share is accurate to one row.
 */
async function measureCut(encoded: Uint8Array, bytes: Uint8Array, header: JpegHeader): Promise<FrameDamage> {
  const { rows, components, interleave, rowsPosition, scanHeaders } = header;
  // There is one scan for each plane, and every pixel needs all planes.
  if (components > 1 && interleave === 0) return cutAfterScans(Math.max(0, scanHeaders.length - 1));
  const isThere = async (count: number) => {
    const shorter = Uint8Array.from(encoded);
    new DataView(shorter.buffer).setUint16(rowsPosition, count);
    const { failure } = await tryCharLs(shorter, END);
    return failure === undefined || HAS_MORE.test(failure);
  };
  const written = countWrittenRows(bytes, rows);
  let [there, notThere] = [written, rows];
  // Usually the row after the last written one is already missing.
  for (let next = written + 1; notThere - there > 1; next = Math.ceil((there + notThere) / 2)) {
    if (await isThere(next)) there = next;
    else notThere = next;
  }
  if (there === 0) throw new DecodeError('the stream ends before its first row does');
  return { kind: 'truncated', missing: (rows - there + 1) / rows, intactRows: there - 1 };
}

/** Number of rows up to the last one that is not all zeros. */
function countWrittenRows(bytes: Uint8Array, rows: number): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return Math.ceil(end / (bytes.length / rows));
}
