import { DecodeError, type FrameBeginning, type StreamShape } from './codec.ts';

/** Start of image, then the first byte of the next marker. */
export const JPEG_BEGINNING: FrameBeginning = { signatures: [[0xff, 0xd8, 0xff]], isSearchable: true };

/** What a JPEG or JPEG-LS stream declares before and between its scans. ITU-T T.81 Annex B. */
export type JpegHeader = StreamShape & {
  /** Number of the start-of-frame marker: 0 baseline, 1 extended, 2 progressive, 3 lossless, 55 JPEG-LS. */
  readonly process: number;
  readonly componentIds: readonly number[];
  /** Whether the components differ in their sampling factors. */
  readonly subsampled: boolean;
  readonly hasJfif: boolean;
  /** Color transform of an Adobe marker: 0 none, 1 YCbCr, 2 YCCK. */
  readonly adobeTransform: number | undefined;
  /** Numbers of the application segments, APP0 to APP15, in stream order. */
  readonly applications: readonly number[];
  readonly scans: number;
  /** NEAR and interleave mode of the first scan, for JPEG-LS only. */
  readonly near: number;
  readonly interleave: number;
  readonly hasEnd: boolean;
  /** The header of each scan, in stream order. */
  readonly scanHeaders: readonly JpegScan[];
  readonly rowsPosition: number;
  /** Start of the marker segment within which the stream ends, if it ends in one. */
  readonly brokenAt: number | undefined;
};

export type JpegScan = {
  readonly componentIds: readonly number[];
  /** For a progressive scan: its band of coefficients, and the lowest bit that it adds. */
  readonly spectralStart: number;
  readonly spectralEnd: number;
  readonly lowBit: number;
  /** The lowest bit before this scan. */
  readonly highBit: number;
};

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const APP0 = 0xe0;
const APP14 = 0xee;
const APP15 = 0xef;
const JPEG_LS_FRAME = 0xf7;

export function readJpegHeader(stream: Uint8Array): JpegHeader {
  const bytes = Buffer.from(stream.buffer, stream.byteOffset, stream.length);
  if (bytes[0] !== 0xff || bytes[1] !== SOI) throw new DecodeError('the stream does not start as JPEG');
  let frame: Frame | undefined;
  let hasJfif = false;
  let adobeTransform: number | undefined;
  const applications: number[] = [];
  let firstScan: Buffer | undefined;
  let scans = 0;
  let hasEnd = false;
  let rowsPosition = 0;
  let brokenAt: number | undefined;
  const scanHeaders: JpegScan[] = [];

  let at = 2;
  while (at < bytes.length) {
    at = findMarker(bytes, at, frame?.process === 55);
    const marker = bytes[at + 1];
    if (marker === undefined) break;
    if (marker === EOI) {
      hasEnd = true;
      break;
    }
    const length = at + 4 <= bytes.length ? bytes.readUInt16BE(at + 2) : 0;
    const segment = bytes.subarray(at + 4, at + 2 + length);
    if (length < 2 || at + 2 + length > bytes.length) brokenAt = at;
    if (length < 2) break;
    if (marker >= APP0 && marker <= APP15) applications.push(marker - APP0);
    if (isFrameMarker(marker)) {
      if (frame === undefined) rowsPosition = at + 5;
      frame ??= parseFrame(marker, segment);
    } else if (marker === APP0) hasJfif ||= segment.toString('latin1', 0, 4) === 'JFIF';
    // Shorter Adobe segments exist; they carry no transform.
    else if (marker === APP14 && segment.length >= 12 && segment.toString('latin1', 0, 5) === 'Adobe') {
      adobeTransform = segment[11];
    } else if (marker === SOS) {
      scans++;
      firstScan ??= segment;
      if (at + 2 + length <= bytes.length) scanHeaders.push(parseScan(segment));
    }
    at += 2 + length;
  }
  if (frame === undefined) throw new DecodeError('the JPEG stream has no frame header');
  if (firstScan === undefined) throw new DecodeError('the JPEG stream has no scan');
  const parameters = 1 + 2 * (firstScan[0] ?? 0);
  const near = firstScan[parameters] ?? 0;
  const interleave = firstScan[parameters + 1] ?? 0;
  return {
    ...frame,
    hasJfif,
    adobeTransform,
    applications,
    scans,
    near,
    interleave,
    hasEnd,
    scanHeaders,
    rowsPosition,
    brokenAt,
  };
}

type Frame = Pick<
  JpegHeader,
  'process' | 'precision' | 'rows' | 'columns' | 'components' | 'componentIds' | 'subsampled'
>;

function isFrameMarker(marker: number): boolean {
  if (marker === JPEG_LS_FRAME) return true;
  // C4, C8 and CC are tables and an extension, not frames.
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function parseFrame(marker: number, segment: Buffer): Frame {
  const components = segment[5] ?? 0;
  if (segment.length < 6 + 3 * components) throw new DecodeError('the JPEG frame header is truncated');
  const parts = Array.from({ length: components }, (_, i) => segment.subarray(6 + 3 * i, 9 + 3 * i));
  return {
    process: marker - 0xc0,
    precision: segment[0]!,
    rows: segment.readUInt16BE(1),
    columns: segment.readUInt16BE(3),
    components,
    componentIds: parts.map((part) => part[0]!),
    subsampled: parts.some((part) => part[1] !== parts[0]![1]),
  };
}

function parseScan(segment: Buffer): JpegScan {
  const components = segment[0] ?? 0;
  const parameters = 1 + 2 * components;
  return {
    componentIds: Array.from({ length: components }, (_, i) => segment[1 + 2 * i] ?? 0),
    spectralStart: segment[parameters] ?? 0,
    spectralEnd: segment[parameters + 1] ?? 0,
    lowBit: (segment[parameters + 2] ?? 0) & 0x0f,
    highBit: (segment[parameters + 2] ?? 0) >> 4,
  };
}

/**
 * Position of the next marker at or after `from`, skipping entropy-coded data; the end of the bytes if there is none.
 */
function findMarker(bytes: Buffer, from: number, isJpegLs: boolean): number {
  let at = from;
  for (;;) {
    at = bytes.indexOf(0xff, at);
    if (at === -1 || at + 1 >= bytes.length) return bytes.length;
    const next = bytes[at + 1]!;
    // FF 00 is a stuffed data byte and FF FF is fill; 01 (TEM) and D0 to D7 (restarts) are markers without a segment.
    // JPEG-LS stuffs a bit: FF is followed by 00 to 7F.
    const isData = isJpegLs ? next < 0x80 : next < 2 || (next >= 0xd0 && next <= 0xd7);
    if (next === 0xff) at += 1;
    else if (isData) at += 2;
    else return at;
  }
}
