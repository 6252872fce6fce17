import type { Codec } from './codec.ts';
import { completeCodestream, type J2kHeader } from './j2kHeader.ts';
import { decodeWithOpenJpeg, describeJ2kWords, openCodestream, reductionLevel } from './jpeg2000.ts';
import { createWasmLibrary, loadEmscripten } from './loadLibrary.ts';
import { type J2kDecoder, type J2kSamples, runJ2kDecoder } from './runJ2kDecoder.ts';

type OpenJph = { readonly HTJ2KDecoder: new () => Htj2kDecoder };
type Htj2kDecoder = J2kDecoder & { decodeSubResolution(level: number): void };

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
    const { bytes, isDoubtful } = await runOpenJph(completeCodestream(codestream, header.extent), header, level);
    const words = header.precision > 8 ? new Uint16Array(bytes.buffer) : bytes;
    return describeJ2kWords(words, { header, pixel, level, isDoubtful });
  },
};

/**
 * OpenJPEG reads these streams too, at a third of the speed, and is right where OpenJPH's binding is not: that mixes up
 * the lines of color without a component transform, does not tell a cut stream, and knows no signed bytes.
 */
function isForOpenJph(header: J2kHeader): boolean {
  const isPlainColor = header.components > 1 && !header.componentTransform;
  const isSignedByte = header.signed && header.precision <= 8;
  return header.highThroughput && header.extent.damage === undefined && !isPlainColor && !isSignedByte;
}

function runOpenJph(codestream: Uint8Array, header: J2kHeader, level: number): Promise<J2kSamples> {
  return openJph.use(({ library, messages }) =>
    runJ2kDecoder(new library.HTJ2KDecoder(), { codestream, header, level, decodeReduced, messages }),
  );
}

function decodeReduced(decoder: Htj2kDecoder, level: number): void {
  decoder.decodeSubResolution(level);
}
