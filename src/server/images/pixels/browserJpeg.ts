import { checkAgreement, DecodeError } from './codecs/codec.ts';
import { isYcbcr, JPEG_BASELINE } from './codecs/jpeg.ts';
import { type JpegHeader, readJpegHeader } from './codecs/jpegHeader.ts';
import { measureJpeg } from './codecs/measureJpeg.ts';
import { isProfileFor } from './iccProfile.ts';
import type { ImagePixel } from './imagePixel.ts';
import type { OpenImage } from './imageFiles.ts';
import { type FramePresentation, readPresentation } from './presentation/readPresentation.ts';
import { redactionsOfFrame } from './redactFrame.ts';

/**
 * Returns the stored JPEG stream of a color frame, with the ICC profile for its display, if a browser renders it
 * exactly as this server would. Undefined if it does not, or if this cannot be determined.
 */
export function findBrowserJpeg(image: OpenImage, frame: number): Uint8Array | undefined {
  const { object, pixel } = image;
  const { transferSyntaxUid, samplesPerPixel, bitsStored } = pixel;
  if (redactionsOfFrame(pixel, frame).length > 0) return undefined;
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
    // A browser shows a damaged stream as if it were complete.
    const extent = measureJpeg(encoded);
    return extent?.kind === 'whole' && extent.isOnlyPadded;
  } catch (error) {
    // The decoder will report what is wrong with it.
    if (error instanceof DecodeError) return false;
    throw error;
  }
}

/**
 * Browsers apply Exif orientation and an embedded color profile, which this server does not, so only JFIF and Adobe
 * segments are accepted.
 */
function isPlain({ applications }: JpegHeader): boolean {
  return applications.every((number) => number === 0 || number === 14);
}

/** Follows libjpeg, which does not know the data set and gives JFIF precedence over Adobe. */
function isYcbcrToBrowsers({ hasJfif, adobeTransform, componentIds }: JpegHeader): boolean {
  if (hasJfif) return true;
  if (adobeTransform !== undefined) return adobeTransform !== 0;
  return String.fromCharCode(...componentIds) !== 'RGB';
}

const MARKER_BYTES = 18;
const MOST_PROFILE_BYTES = 0xffff - MARKER_BYTES + 2;
const MOST_SEGMENTS = 255;

/**
 * Splits the profile into APP2 segments (ICC.1 Annex B.4) and inserts them after the JFIF segment, which must be first.
 */
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
