import type { ImagePixel } from '../imagePixel.ts';
import { checkAgreement } from './agreement.ts';
import { type Codec, type DecodedWords, DecodeError, type DecodingChange } from './codec.ts';
import { decodeWithIjg } from './ijg.ts';
import { type JpegHeader, readJpegHeader } from './jpegHeader.ts';
import { convertYcbcrToRgb } from './ycbcr.ts';

const MAXIMUM_SCANS = 100;
const LOSSLESS = 3;

/** JPEG: baseline, extended (8 and 12 bit), the retired progressive processes, and lossless (2 to 16 bit). */
export const jpeg: Codec = {
  name: 'IJG JPEG',
  transferSyntaxes: ['50', '51', '53', '55', '57', '70'].map((process) => `1.2.840.10008.1.2.4.${process}`),
  maximumBits: 16,
  floats: false,

  async decode(encoded, pixel) {
    const header = readJpegHeader(encoded);
    checkAgreement(header, pixel, encoded.length);
    if (header.process > LOSSLESS) throw new DecodeError(`JPEG process SOF${header.process} is not supported`);
    if (header.scans > MAXIMUM_SCANS) throw new DecodeError(`${header.scans} scans are more than ${MAXIMUM_SCANS}`);
    const { words, warnings } = await decodeWithIjg(encoded, header);
    return describeWords(words, { header, pixel, isComplete: header.hasEnd && warnings === '' });
  },
};

type Outcome = { readonly header: JpegHeader; readonly pixel: ImagePixel; readonly isComplete: boolean };

function describeWords(words: Uint8Array | Uint16Array, { header, pixel, isComplete }: Outcome): DecodedWords {
  const { rows, columns, precision } = header;
  const changes: DecodingChange[] = [];
  if (header.subsampled) changes.push('chroma_expanded');
  if (!isComplete) changes.push('incomplete');
  let { photometricInterpretation } = pixel;
  if (header.components === 3 && header.process !== LOSSLESS) {
    if (isYcbcr(header, photometricInterpretation)) {
      convertYcbcrToRgb(words, precision);
      changes.push('color_converted');
    }
    photometricInterpretation = 'RGB';
  } else if (photometricInterpretation === 'YBR_FULL_422') {
    photometricInterpretation = 'YBR_FULL';
  }
  const lossy = header.process !== LOSSLESS;
  return { rows, columns, words, precision, signed: false, lossy, photometricInterpretation, changes };
}

/**
 * Whether a lossy color stream holds YCbCr. What the stream says goes before the data set: writers exist that declare
 * RGB over subsampled YCbCr, and others that store RGB without a marker, which decoders by themselves take for YCbCr.
 */
export function isYcbcr(header: JpegHeader, photometricInterpretation: string): boolean {
  if (header.adobeTransform !== undefined) return header.adobeTransform !== 0;
  if (header.hasJfif) return true;
  if (String.fromCharCode(...header.componentIds) === 'RGB') return false;
  return header.subsampled || photometricInterpretation !== 'RGB';
}
