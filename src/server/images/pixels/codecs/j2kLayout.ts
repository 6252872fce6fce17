import type { J2kHeader } from './j2kHeader.ts';

/**
 * How an ordinary codestream is laid out: one tile that begins at the origin, one style for all components, sub-bands
 * that are not divided into precincts, and code-blocks of the plain kind. ITU-T T.800 Annexes A and B.
 */
export type J2kLayout = {
  readonly progression: Progression;
  readonly layers: number;
  readonly levels: number;
  /** The sizes of a code-block are powers of 2 with these exponents. */
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** The most bit planes that a code-block can need. */
  readonly mostPlanes: number;
  /** From the lowest one on: LL, then HL, LH and HH of each level. */
  readonly bands: readonly SubBand[];
  /** The packets, one after the other. */
  readonly packets: Uint8Array;
};

export type SubBand = {
  /** The most bit planes that it can have. */
  readonly planes: number;
  /** Half the quantization step; 0 if coefficients are not quantized. */
  readonly scale: number;
};

/** Each letter is a loop, the outermost first: layer, resolution, component. */
export type Progression = 'LRC' | 'RLC' | 'RCL' | 'CRL';

/** With undivided sub-bands, all positions are the first one. Table A.16. */
const PROGRESSIONS: readonly Progression[] = ['LRC', 'RLC', 'RCL', 'CRL', 'CRL'];

const SIZ = 0xff51;
const COD = 0xff52;
const TLM = 0xff55;
const PLM = 0xff57;
const PLT = 0xff58;
const QCD = 0xff5c;
const CRG = 0xff63;
const COM = 0xff64;
const SOT = 0xff90;
const SOD = 0xff93;
const EOC = 0xffd9;

/** Segments that do not change how samples are decoded. */
const HARMLESS = new Set([TLM, PLM, PLT, CRG, COM]);
/** What is read of these segments; they may be shorter in a damaged stream. */
const SIZ_BYTES = 34;
const COD_BYTES = 10;
const MOST_BLOCK_SAMPLES_LOG = 12;
const MOST_LEVELS = 32;
/** More bit planes do not fit into the integers of the decoder. */
const MOST_PLANES = 30;
/**
 * What reversible transforms can add to the bits of a sample: the color transform 1, the filters 2 for twice a factor of 2,
 * and less than 2 for the sums of their other coefficients.
 */
const MOST_GAIN_PLANES = 5;

/** Undefined if anything about the stream is unusual, incomplete or wrong. */
export function readJ2kLayout(codestream: Uint8Array, header: J2kHeader): J2kLayout | undefined {
  if (header.extent.end === 'broken' || header.extent.damage !== undefined || header.highThroughput) return undefined;
  const bytes = Buffer.from(codestream.buffer, codestream.byteOffset, codestream.length);
  let style: ReturnType<typeof parseStyle>;
  let bands: readonly SubBand[] | undefined;
  let at = 2;
  for (; at + 4 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at);
    if (marker === SOT) break;
    const segment = bytes.subarray(at + 4, at + 2 + bytes.readUInt16BE(at + 2));
    if (marker === SIZ && isOneTileAtOrigin(segment, header)) continue;
    if (marker === COD && style === undefined) style = parseStyle(segment, header);
    else if (marker === QCD && bands === undefined) bands = parseBands(segment, header);
    else if (!HARMLESS.has(marker)) return undefined;
  }
  const packets = readPackets(bytes, at);
  if (style === undefined || bands === undefined || packets === undefined) return undefined;
  if (bands.length < 1 + 3 * style.levels) return undefined;
  const mostPlanes = header.reversible ? Math.min(MOST_PLANES, header.precision + MOST_GAIN_PLANES) : MOST_PLANES;
  return { ...style, mostPlanes, bands, packets };
}

function isOneTileAtOrigin(segment: Buffer, { columns, rows }: J2kHeader): boolean {
  if (segment.length < SIZ_BYTES) return false;
  const [, , left, top, tileWidth = 0, tileHeight = 0, tileLeft, tileTop] = Array.from({ length: 8 }, (_, i) =>
    segment.readUInt32BE(2 + 4 * i),
  );
  const isAtOrigin = left === 0 && top === 0 && tileLeft === 0 && tileTop === 0;
  return isAtOrigin && tileWidth >= columns && tileHeight >= rows;
}

function parseStyle(segment: Buffer, { columns, rows }: J2kHeader) {
  if (segment.length < COD_BYTES) return undefined;
  // The only flag that is expected says that the sizes of precincts follow.
  const flags = segment[0]!;
  const progression = PROGRESSIONS[segment[1]!];
  const layers = segment.readUInt16BE(2);
  const transform = segment[4]!;
  const levels = segment[5]!;
  const [blockWidth, blockHeight] = [segment[6]! + 2, segment[7]! + 2];
  const [blockStyle, filter] = [segment[8]!, segment[9]!];
  const sizes = segment.subarray(10);
  if (flags > 1 || progression === undefined || layers === 0 || transform > 1 || levels > MOST_LEVELS) return undefined;
  if (blockStyle !== 0 || filter > 1) return undefined;
  if (blockWidth > 10 || blockHeight > 10 || blockWidth + blockHeight > MOST_BLOCK_SAMPLES_LOG) return undefined;
  if (sizes.length !== (flags === 1 ? levels + 1 : 0)) return undefined;
  for (let resolution = 0; resolution <= levels; resolution++) {
    const size = sizes[resolution] ?? 0xff;
    const [width, height] = [size & 0x0f, size >> 4];
    const scale = 2 ** (levels - resolution);
    // Both a precinct smaller than its resolution and one smaller than a code-block divide what is taken as one here.
    if (2 ** width < Math.ceil(columns / scale) || 2 ** height < Math.ceil(rows / scale)) return undefined;
    const halved = resolution === 0 ? 0 : 1;
    if (width - halved < blockWidth || height - halved < blockHeight) return undefined;
  }
  return { progression, layers, levels, blockWidth, blockHeight };
}

/** Table A.27 and Equations E-2 to E-5. */
function parseBands(segment: Buffer, { reversible, precision }: J2kHeader): readonly SubBand[] | undefined {
  const style = segment[0] ?? 0xff;
  const guardBits = style >> 5;
  const toBand = (exponent: number, mantissa: number): SubBand => ({
    planes: Math.max(0, guardBits + exponent - 1),
    // Without the gains of the sub-bands, which are part of the filter (jpeg2000.kernel.ts).
    scale: reversible ? 0 : Math.fround((1 + mantissa / 2048) * 2 ** (precision - exponent)) / 2,
  });
  const kind = style & 0x1f;
  if (reversible) return kind === 0 ? Array.from(segment.subarray(1), (byte) => toBand(byte >> 3, 0)) : undefined;
  const steps = Array.from({ length: (segment.length - 1) >> 1 }, (_, i) => segment.readUInt16BE(1 + 2 * i));
  if (kind === 2) return steps.map((step) => toBand(step >> 11, step & 0x7ff));
  const [step] = steps;
  if (kind !== 1 || step === undefined) return undefined;
  return Array.from({ length: 1 + 3 * MOST_LEVELS }, (_, i) =>
    toBand(Math.max(0, (step >> 11) - Math.max(0, Math.floor((i - 1) / 3))), step & 0x7ff),
  );
}

/** Joins the data of all tile-parts; undefined if one of them is out of order or changes the style. */
function readPackets(bytes: Buffer, firstTilePart: number): Uint8Array | undefined {
  const parts: Buffer[] = [];
  let at = firstTilePart;
  while (at + 12 <= bytes.length && bytes.readUInt16BE(at) === SOT) {
    const isNext =
      bytes.readUInt16BE(at + 2) === 10 && bytes.readUInt16BE(at + 4) === 0 && bytes[at + 10] === parts.length;
    const declared = bytes[at + 11]!;
    if (!isNext || (declared > 0 && declared <= parts.length)) return undefined;
    const length = bytes.readUInt32BE(at + 6);
    const end = length === 0 ? findEnd(bytes) : at + length;
    if (end > bytes.length) return undefined;
    let data = at + 12;
    while (data + 4 <= end && HARMLESS.has(bytes.readUInt16BE(data))) data += 2 + bytes.readUInt16BE(data + 2);
    if (data + 2 > end || bytes.readUInt16BE(data) !== SOD) return undefined;
    parts.push(bytes.subarray(data + 2, end));
    at = end;
  }
  // Without the end marker there is nothing, or padding.
  const next = at + 2 <= bytes.length ? bytes.readUInt16BE(at) : EOC;
  if (next !== EOC && next !== 0) return undefined;
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

/** The end marker, before a byte of padding if there is one. */
function findEnd(bytes: Buffer): number {
  return bytes.readUInt16BE(bytes.length - 2) === EOC ? bytes.length - 2 : bytes.length - 3;
}
