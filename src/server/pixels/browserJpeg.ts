import { checkAgreement } from './codecs/agreement.ts';
import { DecodeError } from './codecs/codec.ts';
import { isYcbcr, JPEG_BASELINE } from './codecs/jpeg.ts';
import { type JpegHeader, readJpegHeader } from './codecs/jpegHeader.ts';
import { measureJpeg } from './codecs/measureJpeg.ts';
import { isProfileFor } from './iccProfile.ts';
import type { ImagePixel } from './imagePixel.ts';
import type { OpenImage } from './imageFiles.ts';
import { type FramePresentation, readPresentation } from './presentation/readPresentation.ts';

/**
 * The stored JPEG stream of a color frame where a browser makes the same picture of it as we do, with the ICC profile
 * that the picture is shown through. Undefined where it does not, or where we cannot tell.
 */
export function findBrowserJpeg(image: OpenImage, frame: number): Uint8Array | undefined {
  const { object, pixel } = image;
  const { transferSyntaxUid, samplesPerPixel, bitsStored } = pixel;
  if (transferSyntaxUid !== JPEG_BASELINE || samplesPerPixel !== 3 || bitsStored !== 8) return undefined;
  const presentation = readPresentation(object.dataSet, pixel, frame);
  if (drawsOver(presentation)) return undefined;
  const encoded = image.readEncoded(frame);
  if (!isShownAlike(encoded, pixel)) return undefined;
  const { iccProfile } = presentation;
  if (iccProfile === undefined || !isProfileFor(iccProfile, 'RGB ')) return encoded;
  return insertProfile(encoded, iccProfile);
}

function drawsOver({ shutters, overlays, embeddedOverlayBits }: FramePresentation): boolean {
  return shutters !== undefined || overlays.length > 0 || embeddedOverlayBits.length > 0;
}

function isShownAlike(encoded: Uint8Array, pixel: ImagePixel): boolean {
  try {
    const header = readJpegHeader(encoded);
    checkAgreement(header, pixel, encoded.length);
    const { process, precision, hasEnd } = header;
    if (process !== 0 || precision !== 8 || !hasEnd || !isPlain(header)) return false;
    if (isYcbcr(header, pixel.photometricInterpretation) !== isYcbcrToBrowsers(header)) return false;
    // A browser shows a damaged stream as if it were whole.
    const extent = measureJpeg(encoded);
    return extent?.kind === 'whole' && extent.isOnlyPadded;
  } catch (error) {
    // Whoever decodes it will say what is wrong with it.
    if (error instanceof DecodeError) return false;
    throw error;
  }
}

/** Browsers turn a picture as its Exif says and color it as its own profile says, and we do not: only JFIF and Adobe. */
function isPlain({ applications }: JpegHeader): boolean {
  return applications.every((number) => number === 0 || number === 14);
}

/** As libjpeg takes it, which knows nothing of the data set, and to which JFIF goes before Adobe. */
function isYcbcrToBrowsers({ hasJfif, adobeTransform, componentIds }: JpegHeader): boolean {
  if (hasJfif) return true;
  if (adobeTransform !== undefined) return adobeTransform !== 0;
  return String.fromCharCode(...componentIds) !== 'RGB';
}

const MARKER_BYTES = 18;
const MOST_PROFILE_BYTES = 0xffff - MARKER_BYTES + 2;
const MOST_SEGMENTS = 255;

/** In APP2 segments, as ICC.1 Annex B.4 cuts it; after the JFIF segment, which must be the first. */
function insertProfile(jpeg: Uint8Array, profile: Uint8Array): Uint8Array | undefined {
  const count = Math.ceil(profile.length / MOST_PROFILE_BYTES);
  if (count > MOST_SEGMENTS) return undefined;
  const segments = Array.from({ length: count }, (_, at) => {
    const part = profile.subarray(at * MOST_PROFILE_BYTES, (at + 1) * MOST_PROFILE_BYTES);
    const marker = Buffer.from('\xff\xe2\0\0ICC_PROFILE\0', 'latin1');
    marker.writeUInt16BE(MARKER_BYTES - 2 + part.length, 2);
    return Buffer.concat([marker, Uint8Array.of(at + 1, count), part]);
  });
  const start = jpeg[3] === 0xe0 ? 4 + jpeg[4]! * 256 + jpeg[5]! : 2;
  const whole = Buffer.concat([jpeg.subarray(0, start), ...segments, jpeg.subarray(start)]);
  return new Uint8Array(whole);
}
