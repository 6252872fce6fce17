/**
 * How transfer syntaxes encode elements, and the syntaxes whose pixels no codec here decodes. The properties of the
 * other syntaxes are defined with their codecs (src/server/images/pixels/codecs).
 */
export const ImplicitVrLittleEndian = '1.2.840.10008.1.2';
export const ExplicitVrLittleEndian = '1.2.840.10008.1.2.1';
export const ExplicitVrBigEndian = '1.2.840.10008.1.2.2';
export const DeflatedExplicitVrLittleEndian = '1.2.840.10008.1.2.1.99';
const JpipReferencedDeflate = '1.2.840.10008.1.2.4.95';
const JpipHtj2kReferencedDeflate = '1.2.840.10008.1.2.4.205';

/** How the elements of a data set are encoded in bytes. */
export type Encoding = { readonly explicit: boolean; readonly littleEndian: boolean; readonly deflated: boolean };

/** Every syntax but four encodes elements as Explicit VR Little Endian. PS3.5 A.4. */
export function encodingOf(transferSyntaxUid: string): Encoding {
  switch (transferSyntaxUid) {
    case ImplicitVrLittleEndian:
      return { explicit: false, littleEndian: true, deflated: false };
    case ExplicitVrBigEndian:
      return { explicit: true, littleEndian: false, deflated: false };
    case DeflatedExplicitVrLittleEndian:
    case JpipReferencedDeflate:
    case JpipHtj2kReferencedDeflate:
      return { explicit: true, littleEndian: true, deflated: true };
    default:
      return { explicit: true, littleEndian: true, deflated: false };
  }
}

/** Whether the file holds the samples of its frames as they are, one after the other. PS3.5 A.4 and 8.2. */
export function isNativeSyntax(transferSyntaxUid: string): boolean {
  return NATIVE.has(transferSyntaxUid);
}

const NATIVE: ReadonlySet<string> = new Set([ImplicitVrLittleEndian, ExplicitVrLittleEndian, ExplicitVrBigEndian]);

/** MPEG-2, H.264 and HEVC: .100 to .108, with `.1` for the fragmentable forms. PS3.6 Table A-1. */
export function isVideoSyntax(transferSyntaxUid: string): boolean {
  return /^1\.2\.840\.10008\.1\.2\.4\.10[0-8](\.1)?$/.test(transferSyntaxUid);
}

/** The pixels are on a JPIP server. */
export function isJpipSyntax(transferSyntaxUid: string): boolean {
  return JPIP.has(transferSyntaxUid);
}

const JPIP: ReadonlySet<string> = new Set([
  '1.2.840.10008.1.2.4.94',
  JpipReferencedDeflate,
  '1.2.840.10008.1.2.4.204',
  JpipHtj2kReferencedDeflate,
]);

/** SMPTE ST 2110: real-time video over a network, which is never stored in a file. */
export function isNetworkVideoSyntax(transferSyntaxUid: string): boolean {
  return /^1\.2\.840\.10008\.1\.2\.7\.\d+$/.test(transferSyntaxUid);
}

/** The media type of a stored frame in DICOMweb; undefined if it has none of its own. PS3.18 table 8.7.3-5. */
export function mediaTypeOfFrames(transferSyntaxUid: string): string | undefined {
  return FRAME_TYPES.find(([pattern]) => pattern.test(transferSyntaxUid))?.[1];
}

const FRAME_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^1\.2\.840\.10008\.1\.2\.5$/, 'image/dicom-rle'],
  [/^1\.2\.840\.10008\.1\.2\.4\.(50|51|57|70)$/, 'image/jpeg'],
  [/^1\.2\.840\.10008\.1\.2\.4\.8[01]$/, 'image/jls'],
  [/^1\.2\.840\.10008\.1\.2\.4\.9[01]$/, 'image/jp2'],
  [/^1\.2\.840\.10008\.1\.2\.4\.9[23]$/, 'image/jpx'],
  [/^1\.2\.840\.10008\.1\.2\.4\.20[123]$/, 'image/jphc'],
  [/^1\.2\.840\.10008\.1\.2\.4\.11[012]$/, 'image/jxl'],
];
