import { checkAgreement, canLose, type Codec, DecodeError, type DecodingChange, fragmented } from './codec.ts';
import { type JxlHeader, readJxlHeader } from './jxlHeader.ts';
import { createWasmLibrary, type LoadedLibrary, loadEmscripten } from './loadLibrary.ts';

type RgbaImage = { readonly data: Uint8Array; readonly width: number; readonly height: number; readonly depth: number };
type LibJxl = { decode(encoded: Uint8Array): RgbaImage | string | null };

const libJxl = createWasmLibrary(loadLibJxl);

/** JPEG XL. Recompressed JPEG (.111) is decoded as JPEG XL, without reconstructing the JPEG first. */
export const jpegXl: Codec = {
  name: 'libjxl',
  transferSyntaxes: fragmented({
    never: ['1.2.840.10008.1.2.4.110'],
    may: ['1.2.840.10008.1.2.4.111', '1.2.840.10008.1.2.4.112'],
  }),
  // A bare codestream, or one in a file. A signature of two bytes is too common to be searched for.
  beginning: {
    signatures: [
      [0xff, 0x0a],
      [0, 0, 0, 0x0c, 0x4a, 0x58, 0x4c, 0x20],
    ],
    isSearchable: false,
  },
  // 32-bit coefficients, in more than one copy.
  workingBytes: ({ samples, bytes }) => samples * 16 + bytes * 2,
  cutStream: 'refused',
  maximumBits: 16,
  floats: false,

  async decode(encoded, pixel) {
    const header = readJxlHeader(encoded);
    checkAgreement(header, pixel, encoded.length);
    const { rows, columns, components, precision } = header;
    if (precision > 16) throw new DecodeError(`${precision} bits per sample are more than 16`);
    const image = await decodeWithLibJxl(encoded, header);
    const isLossless = !canLose(jpegXl, pixel.transferSyntaxUid) && !header.xyb;
    // Lossless color is as the writer stored it; otherwise libjxl has converted from XYB, or from the YCbCr of a JPEG.
    const stored = pixel.photometricInterpretation;
    const isConverted = components === 3 && !isLossless && stored !== 'RGB';
    const changes: DecodingChange[] = isConverted ? ['color_converted'] : [];
    return {
      rows,
      columns,
      words: dropUnused(image, components),
      precision,
      signed: false,
      lossy: !isLossless,
      photometricInterpretation: isConverted ? 'RGB' : stored,
      changes,
    };
  },
};

function decodeWithLibJxl(encoded: Uint8Array, { rows, columns, precision }: JxlHeader): Promise<RgbaImage> {
  return libJxl.use(({ library }) => {
    const image = library.decode(encoded);
    if (image === null || typeof image === 'string') throw new DecodeError(image ?? 'the decoder returned nothing');
    if (image.width !== columns || image.height !== rows || image.depth !== precision) {
      throw new DecodeError(`the decoder returned ${image.width} x ${image.height} pixels of ${image.depth} bits`);
    }
    return image;
  });
}

/** Extracts gray or RGB from the decoder's RGBA. */
function dropUnused({ data, width, height, depth }: RgbaImage, components: number): Uint8Array | Uint16Array {
  const count = width * height * components;
  const rgba = depth > 8 ? new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2) : data;
  const words = depth > 8 ? new Uint16Array(count) : new Uint8Array(count);
  for (let from = 0, to = 0; to < count; from += 4, to += components) {
    for (let c = 0; c < components; c++) words[to + c] = rgba[from + c]!;
  }
  return words;
}

async function loadLibJxl(): Promise<LoadedLibrary<LibJxl>> {
  // The decoder passes its result to a global function of this name.
  Object.assign(globalThis, {
    _icodec_ImageData: (data: Uint8Array, width: number, height: number, depth: number): RgbaImage => ({
      data,
      width,
      height,
      depth,
    }),
  });
  return loadEmscripten('jxl-dec.js', 'jxl-dec.wasm');
}
