import { canLose, type Codec, fragmented } from './codec.ts';
import type { J2kHeader } from './j2kHeader.ts';
import {
  decodeWithOpenJpeg,
  describeJ2kWords,
  J2K_BEGINNING,
  j2kWorkingBytes,
  lowerSamples,
  openCodestream,
  prepareCodestream,
  reductionLevel,
} from './jpeg2000.ts';
import { createWasmLibrary, loadEmscripten } from './loadLibrary.ts';
import { type J2kDecoder, type J2kSamples, runJ2kDecoder } from './runJ2kDecoder.ts';

type OpenJph = { readonly HTJ2KDecoder: new () => Htj2kDecoder };
type Htj2kDecoder = J2kDecoder & { decodeSubResolution(level: number): void };

const openJph = createWasmLibrary(() => loadEmscripten<OpenJph>('openjphjs.cjs', 'openjphjs.wasm'));

/** High-Throughput JPEG 2000. */
export const htj2k: Codec = {
  name: 'OpenJPH',
  transferSyntaxes: fragmented({
    never: ['1.2.840.10008.1.2.4.201', '1.2.840.10008.1.2.4.202'],
    may: ['1.2.840.10008.1.2.4.203'],
  }),
  beginning: J2K_BEGINNING,
  workingBytes: j2kWorkingBytes,
  cutStream: 'shown',
  maximumBits: 16,
  floats: false,

  async decode(encoded, pixel, options) {
    const { codestream, header } = openCodestream(encoded, pixel);
    const frame = { header, pixel, canLose: canLose(htj2k, pixel.transferSyntaxUid) };
    if (!isForOpenJph(header)) return decodeWithOpenJpeg(codestream, { ...frame, options });
    const level = reductionLevel(header, options);
    const { bytes, isDoubtful } = await runOpenJph(prepareCodestream(codestream, header), header, level);
    lowerSamples(bytes, header);
    const decoded = header.precision > 8 ? new Uint16Array(bytes.buffer) : bytes;
    const words = isPlainColor(header) ? arrangeLines(decoded, header, level) : decoded;
    return describeJ2kWords(words, { ...frame, level, isDoubtful });
  },
};

/**
 * OpenJPEG also reads these streams, at a third of the speed. It decodes complete streams whose samples the OpenJPH
 * binding returns in a different form. Truncated streams go to OpenJPH: OpenJPEG refuses the whole stream if one
 * code-block is truncated, while OpenJPH shows what is present. OpenJPH does not report the truncation, so it must be
 * detected from the header.
 */
function isForOpenJph(header: J2kHeader): boolean {
  const { damage } = header.extent;
  if (!header.highThroughput || damage?.kind === 'corrupt') return false;
  return damage !== undefined || !(isPlainColor(header) || (header.signed && header.precision <= 8));
}

function isPlainColor({ components, componentTransform }: J2kHeader): boolean {
  return components > 1 && !componentTransform;
}

function runOpenJph(codestream: Uint8Array, header: J2kHeader, level: number): Promise<J2kSamples> {
  return openJph.use(({ library, messages }) =>
    runJ2kDecoder(new library.HTJ2KDecoder(), { codestream, header, level, decodeReduced, messages }),
  );
}

function decodeReduced(decoder: Htj2kDecoder, level: number): void {
  decoder.decodeSubResolution(level);
}

/**
 * OpenJPH returns color without a component transform plane by plane, but the binding stores the lines as if they came
 * pixel by pixel: the first three lines of red become red, green and blue of the first row.
 */
function arrangeLines(words: Uint8Array | Uint16Array, header: J2kHeader, level: number): Uint8Array | Uint16Array {
  const { components } = header;
  const rows = Math.ceil(header.rows / 2 ** level);
  const columns = Math.ceil(header.columns / 2 ** level);
  const arranged = words.slice();
  for (let component = 0; component < components; component++) {
    for (let row = 0; row < rows; row++) {
      const line = component * rows + row;
      const from = Math.floor(line / components) * columns * components + (line % components);
      const to = row * columns * components + component;
      for (let i = 0; i < columns * components; i += components) arranged[to + i] = words[from + i]!;
    }
  }
  return arranged;
}
