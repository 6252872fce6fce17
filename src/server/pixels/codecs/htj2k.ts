import { type Codec, DecodeError } from './codec.ts';
import type { J2kHeader } from './j2kHeader.ts';
import { decodedBytes, decodeWithOpenJpeg, describeJ2kWords, openCodestream, reductionLevel } from './jpeg2000.ts';
import { createWasmLibrary, loadEmscripten } from './loadLibrary.ts';

type OpenJph = { readonly HTJ2KDecoder: new () => Htj2kDecoder };
type Htj2kDecoder = {
  getEncodedBuffer(length: number): Uint8Array;
  decode(): void;
  decodeSubResolution(level: number): void;
  getDecodedBuffer(): Uint8Array;
  getLastErrorMessage(): string;
  delete(): void;
};

const openJph = createWasmLibrary(() => loadEmscripten<OpenJph>('openjphjs.cjs', 'openjphjs.wasm'));

/** High-Throughput JPEG 2000. */
export const htj2k: Codec = {
  name: 'OpenJPH',
  transferSyntaxes: ['201', '202', '203'].map((last) => `1.2.840.10008.1.2.4.${last}`),
  maximumBits: 16,
  floats: false,

  async decode(encoded, pixel, options) {
    const { codestream, header } = openCodestream(encoded, pixel);
    if (!isForOpenJph(header)) return decodeWithOpenJpeg(codestream, header, pixel, options);
    const level = reductionLevel(header, options);
    const bytes = await runOpenJph(codestream, header, level);
    const words = header.precision > 8 ? new Uint16Array(bytes.buffer) : bytes;
    return describeJ2kWords(words, { header, pixel, level });
  },
};

/**
 * OpenJPEG reads these streams too, at a third of the speed, and is right where OpenJPH's binding is not: that mixes up
 * the lines of color without a component transform, does not tell a cut stream, and knows no signed bytes.
 */
function isForOpenJph(header: J2kHeader): boolean {
  const isPlainColor = header.components > 1 && !header.componentTransform;
  const isSignedByte = header.signed && header.precision <= 8;
  return header.highThroughput && header.isComplete && !isPlainColor && !isSignedByte;
}

function runOpenJph(codestream: Uint8Array, header: J2kHeader, level: number): Promise<Uint8Array<ArrayBuffer>> {
  return openJph.use(({ library, messages }) => {
    const decoder = new library.HTJ2KDecoder();
    try {
      decoder.getEncodedBuffer(codestream.length).set(codestream);
      if (level === 0) decoder.decode();
      else decoder.decodeSubResolution(level);
      const decoded = decoder.getDecodedBuffer();
      const size = decodedBytes(header, level);
      if (decoded.length !== size) {
        throw new DecodeError(decoder.getLastErrorMessage() || `the decoder gave ${decoded.length} bytes of ${size}`);
      }
      // A view of the library's memory: copied before the decoder is deleted.
      const bytes = new Uint8Array(decoded);
      decoder.delete();
      return bytes;
    } catch (error) {
      if (error instanceof DecodeError) throw error;
      throw new DecodeError(messages.take() || `the decoder failed (${String(error)})`, { cause: error });
    }
  });
}
