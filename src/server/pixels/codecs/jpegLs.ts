import { checkAgreement } from './agreement.ts';
import { type Codec, DecodeError, type DecodingChange } from './codec.ts';
import { interleavePlanes } from './colorLayout.ts';
import { readJpegHeader } from './jpegHeader.ts';
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
  transferSyntaxes: ['1.2.840.10008.1.2.4.80', '1.2.840.10008.1.2.4.81'],
  maximumBits: 16,
  floats: false,

  async decode(encoded, pixel) {
    const header = readJpegHeader(encoded);
    checkAgreement(header, pixel, encoded.length);
    if (header.process !== JPEG_LS) throw new DecodeError('the stream is JPEG, not JPEG-LS');
    const { rows, columns, components, precision, near } = header;
    const bytes = await decodeWithCharLs(encoded, rows * columns * components * (precision > 8 ? 2 : 1));
    const decoded = precision > 8 ? new Uint16Array(bytes.buffer) : bytes;
    const isPlanar = components > 1 && header.interleave === 0;
    const changes: DecodingChange[] = isPlanar ? ['interleaved'] : [];
    if (!header.hasEnd) changes.push('incomplete');
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
    };
  },
};

function decodeWithCharLs(encoded: Uint8Array, size: number): Promise<Uint8Array<ArrayBuffer>> {
  return charLs.use(({ library }) => {
    const decoder = new library.JpegLSDecoder();
    try {
      // With an end marker of ours a stream that was cut fails at once; without, CharLS spins for seconds.
      const buffer = decoder.getEncodedBuffer(encoded.length + 2);
      buffer.set(encoded);
      buffer.set([0xff, 0xd9], encoded.length);
      decoder.decode();
      const decoded = decoder.getDecodedBuffer();
      if (decoded.length !== size) throw new DecodeError(`the decoder gave ${decoded.length} bytes of ${size}`);
      const bytes = new Uint8Array(decoded);
      decoder.delete();
      return bytes;
    } catch (error) {
      if (error instanceof DecodeError) throw error;
      const reason = typeof error === 'number' ? library.getExceptionMessage(error) : String(error);
      throw new DecodeError(reason, { cause: error });
    }
  });
}
