import type { FrameDamage } from '../../../../shared/frameDamage.ts';
import type { ImagePixel } from '../imagePixel.ts';
import {
  checkAgreement,
  type Codec,
  type DecodedWords,
  DecodeError,
  type DecodingChange,
  fragmented,
  cutAfterScans,
  unmeasuredDamage,
} from './codec.ts';
import { decodeWithIjg } from './ijg.ts';
import { JPEG_BEGINNING, type JpegHeader, readJpegHeader } from './jpegHeader.ts';
import { decodeLosslessJpeg } from './kernels/decodeLosslessJpeg.ts';
import { measureJpeg } from './measureJpeg.ts';
import { convertYcbcrToRgb } from './ycbcr.ts';

/** JPEG Baseline, which browsers also decode. */
export const JPEG_BASELINE = '1.2.840.10008.1.2.4.50';

const MAXIMUM_SCANS = 100;
const PROGRESSIVE = 2;
const LOSSLESS = 3;

/** JPEG: baseline, extended (8 and 12 bit), the retired progressive processes, and lossless (2 to 16 bit). */
export const jpeg: Codec = {
  name: 'IJG JPEG',
  transferSyntaxes: fragmented({
    never: ['1.2.840.10008.1.2.4.57', '1.2.840.10008.1.2.4.70'],
    always: [JPEG_BASELINE, '1.2.840.10008.1.2.4.51', '1.2.840.10008.1.2.4.53', '1.2.840.10008.1.2.4.55'],
  }),
  beginning: JPEG_BEGINNING,
  workingBytes: ({ bytes }) => bytes * 5,
  cutStream: 'shown',
  maximumBits: 16,
  floats: false,

  async decode(encoded, pixel) {
    const header = readJpegHeader(encoded);
    checkAgreement(header, pixel, encoded.length);
    if (header.process > LOSSLESS) throw new DecodeError(`JPEG process SOF${header.process} is not supported`);
    if (header.scans > MAXIMUM_SCANS) throw new DecodeError(`${header.scans} scans are more than ${MAXIMUM_SCANS}`);
    if (header.scanHeaders.length === 0) throw new DecodeError('the JPEG stream ends within the header of its scan');
    // If the stream ends within a marker segment, the decoder would read the substituted end marker as that segment's
    // parameters.
    const usable = encoded.subarray(0, header.brokenAt);
    const quick = header.process === LOSSLESS ? decodeLosslessJpeg(usable, header) : undefined;
    const { words, warnings } = quick ? { words: quick, warnings: '' } : await decodeWithIjg(usable, header);
    return describeWords(words, { header, pixel, damage: findDamage(usable, header, warnings) });
  },
};

/**
 * The part of the frame that had to be made up. The library warns as soon as it needs a bit that is missing, and not
 * before, so a stream that lacks only its end marker is complete.
 */
function findDamage(stream: Uint8Array, header: JpegHeader, warnings: string): FrameDamage | undefined {
  const isUnfinished = !hasAllScans(header);
  if (warnings === '' && !isUnfinished) return undefined;
  // With several scans, each one contributes to the whole image, so the extent is measured for a single scan only.
  const extent = header.scans === 1 && !isUnfinished ? measureJpeg(stream) : undefined;
  // The library also warns about unused bytes before the end marker.
  if (extent?.kind === 'whole') return extent.isOnlyPadded ? undefined : unmeasuredDamage('corrupt');
  if (header.hasEnd || extent?.kind === 'corrupt') return unmeasuredDamage('corrupt');
  if (extent !== undefined) return extent.damage;
  // Without a warning, the stream ends between two scans.
  return cutAfterScans(header.scanHeaders.length - (warnings === '' ? 0 : 1));
}

/**
 * Whether every component is present and, in a progressive stream without an end marker, all bits of all coefficients.
 */
function hasAllScans({ process, componentIds, scanHeaders, hasEnd }: JpegHeader): boolean {
  return componentIds.every((id) => {
    const scans = scanHeaders.filter((scan) => scan.componentIds.includes(id));
    // A writer may omit coefficients that are zero everywhere; the end marker then shows that the stream is complete.
    if (process !== PROGRESSIVE || hasEnd) return scans.length > 0;
    const isDone = (coefficient: number) =>
      scans.some(
        ({ spectralStart, spectralEnd, lowBit }) =>
          spectralStart <= coefficient && coefficient <= spectralEnd && lowBit === 0,
      );
    return Array.from({ length: COEFFICIENTS }, (_, i) => i).every(isDone);
  });
}

const COEFFICIENTS = 64;

type Outcome = {
  readonly header: JpegHeader;
  readonly pixel: ImagePixel;
  readonly damage: FrameDamage | undefined;
};

function describeWords(words: Uint8Array | Uint16Array, { header, pixel, damage }: Outcome): DecodedWords {
  const { rows, columns, precision } = header;
  const changes: DecodingChange[] = [];
  if (header.subsampled) changes.push('chroma_expanded');
  let { photometricInterpretation } = pixel;
  if (header.components === 3 && header.process !== LOSSLESS) {
    if (isYcbcr(header, photometricInterpretation)) {
      convertYcbcrToRgb(words, precision);
      changes.push('color_converted');
    }
    photometricInterpretation = 'RGB';
  } else if (photometricInterpretation === 'YBR_FULL_422') photometricInterpretation = 'YBR_FULL';
  const lossy = header.process !== LOSSLESS;
  return { rows, columns, words, precision, signed: false, lossy, photometricInterpretation, changes, damage };
}

/**
 * Whether a lossy color stream holds YCbCr. The stream takes precedence over the data set: some writers declare RGB for
 * subsampled YCbCr, and others store RGB without a marker, which decoders assume to be YCbCr.
 */
export function isYcbcr(header: JpegHeader, photometricInterpretation: string): boolean {
  if (header.adobeTransform !== undefined) return header.adobeTransform !== 0;
  if (header.hasJfif) return true;
  if (String.fromCharCode(...header.componentIds) === 'RGB') return false;
  return header.subsampled || photometricInterpretation !== 'RGB';
}
