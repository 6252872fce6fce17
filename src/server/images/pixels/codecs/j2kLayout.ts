import type { J2kHeader } from './j2kHeader.ts';

/**
 * How a codestream is laid out, as far as its packets depend on it: tiles, sub-bands, precincts and code-blocks.
 * ITU-T T.800 Annexes A and B.
 */
export type J2kLayout = { readonly tiles: readonly TileLayout[] };

/** Edges are on the reference grid. Components are not subsampled, so they have the same edges. */
export type TileLayout = TileEdges & {
  readonly layers: number;
  readonly progressions: readonly Progression[];
  /** Whether a packet may begin with a start marker, and whether its header ends with an end marker. A.8. */
  readonly mayHaveStarts: boolean;
  readonly hasEnds: boolean;
  readonly components: readonly ComponentLayout[];
  /** The data of all tile-parts: the packets, without their headers if these are packed. */
  readonly packets: Uint8Array;
  /** Packet headers that are packed into the headers of the stream or of the tile-parts. A.7.4 and A.7.5. */
  readonly packedHeaders: Uint8Array | undefined;
};

export type TileEdges = {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};

/** Sizes are powers of 2 with these exponents. */
export type ComponentLayout = {
  readonly levels: number;
  readonly blockWidth: number;
  readonly blockHeight: number;
  readonly blockStyle: number;
  /** For each resolution. */
  readonly precincts: readonly { readonly width: number; readonly height: number }[];
  /** The most bit planes that a code-block can need. */
  readonly mostPlanes: number;
  /** From the lowest one on: LL, then HL, LH and HH of each level. */
  readonly bands: readonly SubBand[];
};

export type SubBand = {
  /** The most bit planes that it can have. */
  readonly planes: number;
  /** Half the quantization step; 0 if coefficients are not quantized. */
  readonly scale: number;
};

/** An order of packets, and the packets that are in it unless they came before. Ends are exclusive. A.6.6. */
export type Progression = {
  readonly order: ProgressionOrder;
  readonly firstResolution: number;
  readonly resolutionEnd: number;
  readonly firstComponent: number;
  readonly componentEnd: number;
  readonly layerEnd: number;
};

/** Each letter is a loop, the outermost first: layer, resolution, component, position. */
export type ProgressionOrder = (typeof ORDERS)[number];

/** Table A.16. */
const ORDERS = ['LRCP', 'RLCP', 'RPCL', 'PCRL', 'CPRL'] as const;

const SIZ = 0xff51;
const COD = 0xff52;
const COC = 0xff53;
const TLM = 0xff55;
const PLM = 0xff57;
const PLT = 0xff58;
const QCD = 0xff5c;
const QCC = 0xff5d;
const POC = 0xff5f;
const PPM = 0xff60;
const PPT = 0xff61;
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
/** From the flags on, without the sizes of precincts. */
const STYLE_BYTES = 6;
const POC_BYTES = 7;
const MOST_BLOCK_SAMPLES_LOG = 12;
const MOST_LEVELS = 32;
/** As many as OpenJPEG reads. */
const MOST_PROGRESSIONS = 32;
/** More bit planes do not fit into the integers of the decoder. */
const MOST_PLANES = 30;
/**
 * What reversible transforms can add to the bits of a sample: the color transform 1, the filters 2 for twice a factor of 2,
 * and less than 2 for the sums of their other coefficients.
 */
const MOST_GAIN_PLANES = 5;

/** Styles that a header sets for all components, or for some of them. */
type Styles = {
  coding: Buffer | undefined;
  quantization: Buffer | undefined;
  readonly ownCoding: Map<number, Buffer>;
  readonly ownQuantization: Map<number, Buffer>;
  readonly progressions: Buffer[];
};

type TileParts = Styles & { readonly data: Buffer[]; readonly packed: Buffer[] };

/** Undefined if the stream is incomplete, wrong, or uses what is not read here, such as regions of interest. */
export function readJ2kLayout(codestream: Uint8Array, header: J2kHeader): J2kLayout | undefined {
  if (header.extent.end === 'broken' || header.extent.damage !== undefined || header.highThroughput) return undefined;
  const bytes = Buffer.from(codestream.buffer, codestream.byteOffset, codestream.length);
  const main = createStyles();
  const packed: Buffer[] = [];
  let grid: Buffer | undefined;
  let at = 2;
  for (; at + 4 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at);
    if (marker === SOT) break;
    const segment = bytes.subarray(at + 4, at + 2 + bytes.readUInt16BE(at + 2));
    if (marker === SIZ && segment.length >= SIZ_BYTES) grid = segment;
    else if (marker === PPM) packed.push(segment);
    else if (!readStyle(main, marker, segment)) return undefined;
  }
  const tiles = readTileParts(bytes, at, joinPacked(packed));
  if (grid === undefined || tiles === undefined) return undefined;
  const layouts: TileLayout[] = [];
  for (const [number, parts] of tiles) {
    const tile = layOutTile(main, parts, { ...header, ...findTileEdges(grid, number) });
    if (tile === undefined) return undefined;
    layouts.push(tile);
  }
  return { tiles: layouts };
}

/**
 * The only tile of a stream as most are: it begins at the origin, all components have the same style, and code-blocks
 * are of the plain kind.
 */
export function findOrdinaryTile({ tiles }: J2kLayout): TileLayout | undefined {
  const [tile, ...others] = tiles;
  const [style] = tile?.components ?? [];
  if (tile === undefined || style === undefined || others.length > 0) return undefined;
  const isOrdinary = tile.left === 0 && tile.top === 0 && style.blockStyle === 0;
  return isOrdinary && tile.components.every((each) => each === style) ? tile : undefined;
}

function createStyles(): Styles {
  return {
    coding: undefined,
    quantization: undefined,
    ownCoding: new Map(),
    ownQuantization: new Map(),
    progressions: [],
  };
}

/** Returns whether the segment is one that is read here. */
function readStyle(styles: Styles, marker: number, segment: Buffer): boolean {
  if (marker === COD && styles.coding === undefined) styles.coding = segment;
  else if (marker === QCD && styles.quantization === undefined) styles.quantization = segment;
  // With up to 256 components, the number of one takes a byte.
  else if (marker === COC && segment.length > 1) styles.ownCoding.set(segment[0]!, segment.subarray(1));
  else if (marker === QCC && segment.length > 1) styles.ownQuantization.set(segment[0]!, segment.subarray(1));
  else if (marker === POC) styles.progressions.push(segment);
  else return HARMLESS.has(marker);
  return true;
}

/** B.3. */
function findTileEdges(grid: Buffer, number: number): TileEdges {
  const field = (index: number) => grid.readUInt32BE(2 + 4 * index);
  const [width, height] = [field(4), field(5)];
  const across = Math.ceil((field(0) - field(6)) / width);
  const left = field(6) + (number % across) * width;
  const top = field(7) + Math.floor(number / across) * height;
  return {
    left: Math.max(left, field(2)),
    top: Math.max(top, field(3)),
    right: Math.min(left + width, field(0)),
    bottom: Math.min(top + height, field(1)),
  };
}

type CodedTile = TileEdges & Pick<J2kHeader, 'components' | 'precision'>;

function layOutTile(main: Styles, parts: TileParts, tile: CodedTile): TileLayout | undefined {
  const { left, top, right, bottom } = tile;
  const coding = parts.coding ?? main.coding;
  if (coding === undefined || coding.length < COD_BYTES) return undefined;
  const [flags, number, layers] = [coding[0]!, coding[1]!, coding.readUInt16BE(2)];
  const order = ORDERS[number];
  // Table A.13: the three flags are for precincts, start markers and end markers.
  if (flags > 7 || order === undefined || layers === 0 || coding[4]! > 1) return undefined;
  const changes = parts.progressions.length > 0 ? parts.progressions : main.progressions;
  const progressions =
    changes.length > 0
      ? parseProgressions(Buffer.concat(changes))
      : [{ order, firstResolution: 0, resolutionEnd: 33, firstComponent: 0, componentEnd: 256, layerEnd: layers }];
  const known = new Map<string, ComponentLayout | undefined>();
  const components: ComponentLayout[] = [];
  for (let component = 0; component < tile.components; component++) {
    // A.6.1 to A.6.5: what a tile says comes before what the main header says, and one component before all.
    const own = parts.ownCoding.get(component) ?? (parts.coding ? undefined : main.ownCoding.get(component));
    const style = own ?? Buffer.concat([coding.subarray(0, 1), coding.subarray(5)]);
    const steps =
      parts.ownQuantization.get(component) ??
      parts.quantization ??
      main.ownQuantization.get(component) ??
      main.quantization;
    if (steps === undefined) return undefined;
    const key = `${style.toString('hex')} ${steps.toString('hex')}`;
    if (!known.has(key)) known.set(key, parseComponent(style, steps, tile.precision));
    const layout = known.get(key);
    if (layout === undefined) return undefined;
    components.push(layout);
  }
  if (progressions === undefined || right <= left || bottom <= top) return undefined;
  const { data, packed } = parts;
  const [packets, packedHeaders] = [joinParts(data), packed.length === 0 ? undefined : joinParts(packed)];
  const [mayHaveStarts, hasEnds] = [(flags & 2) !== 0, (flags & 4) !== 0];
  return { left, top, right, bottom, layers, progressions, mayHaveStarts, hasEnds, components, packets, packedHeaders };
}

/** Table A.32, with up to 256 components. */
function parseProgressions(segment: Buffer): readonly Progression[] | undefined {
  const count = segment.length / POC_BYTES;
  if (!Number.isInteger(count) || count > MOST_PROGRESSIONS) return undefined;
  const progressions: Progression[] = [];
  for (let at = 0; at < segment.length; at += POC_BYTES) {
    const order = ORDERS[segment[at + 6]!];
    if (order === undefined) return undefined;
    progressions.push({
      order,
      firstResolution: segment[at]!,
      firstComponent: segment[at + 1]!,
      layerEnd: segment.readUInt16BE(at + 2),
      resolutionEnd: segment[at + 4]!,
      componentEnd: segment[at + 5]! || 256,
    });
  }
  return progressions;
}

/** A style as in COC, of Table A.23 from its flags on, and the quantization of the component. */
function parseComponent(style: Buffer, steps: Buffer, precision: number): ComponentLayout | undefined {
  if (style.length < STYLE_BYTES) return undefined;
  const hasSizes = (style[0]! & 1) !== 0;
  const levels = style[1]!;
  const [blockWidth, blockHeight] = [style[2]! + 2, style[3]! + 2];
  const [blockStyle, filter] = [style[4]!, style[5]!];
  const sizes = style.subarray(STYLE_BYTES);
  if (levels > MOST_LEVELS || filter > 1 || blockStyle > 0x3f) return undefined;
  if (blockWidth > 10 || blockHeight > 10 || blockWidth + blockHeight > MOST_BLOCK_SAMPLES_LOG) return undefined;
  if (sizes.length !== (hasSizes ? levels + 1 : 0)) return undefined;
  const precincts = Array.from({ length: levels + 1 }, (_, resolution) => {
    const size = sizes[resolution] ?? 0xff;
    return { width: size & 0x0f, height: size >> 4 };
  });
  // A precinct of one sample is possible only where its sub-bands have the size of the resolution. Table A.21.
  if (precincts.some(({ width, height }, resolution) => resolution > 0 && (width === 0 || height === 0)))
    return undefined;
  const isReversible = filter === 1;
  const bands = parseBands(steps, isReversible, precision);
  if (bands === undefined || bands.length < 1 + 3 * levels) return undefined;
  const mostPlanes = isReversible ? Math.min(MOST_PLANES, precision + MOST_GAIN_PLANES) : MOST_PLANES;
  return { levels, blockWidth, blockHeight, blockStyle, precincts, mostPlanes, bands };
}

/** Table A.27 and Equations E-2 to E-5. */
function parseBands(segment: Buffer, isReversible: boolean, precision: number): readonly SubBand[] | undefined {
  const style = segment[0] ?? 0xff;
  const guardBits = style >> 5;
  const toBand = (exponent: number, mantissa: number): SubBand => ({
    planes: Math.max(0, guardBits + exponent - 1),
    // Without the gains of the sub-bands, which are part of the filter (jpeg2000.kernel.ts).
    scale: isReversible ? 0 : Math.fround((1 + mantissa / 2048) * 2 ** (precision - exponent)) / 2,
  });
  const kind = style & 0x1f;
  if (isReversible) return kind === 0 ? Array.from(segment.subarray(1), (byte) => toBand(byte >> 3, 0)) : undefined;
  const steps = Array.from({ length: (segment.length - 1) >> 1 }, (_, i) => segment.readUInt16BE(1 + 2 * i));
  if (kind === 2) return steps.map((step) => toBand(step >> 11, step & 0x7ff));
  const [step] = steps;
  if (kind !== 1 || step === undefined) return undefined;
  return Array.from({ length: 1 + 3 * MOST_LEVELS }, (_, i) =>
    toBand(Math.max(0, (step >> 11) - Math.max(0, Math.floor((i - 1) / 3))), step & 0x7ff),
  );
}

/** The tiles in the order of their first parts; undefined if a part is out of order or says what is not read here. */
function readTileParts(
  bytes: Buffer,
  firstTilePart: number,
  packed: Buffer | undefined,
): ReadonlyMap<number, TileParts> | undefined {
  const tiles = new Map<number, TileParts>();
  let packedAt = 0;
  let at = firstTilePart;
  while (at + 12 <= bytes.length && bytes.readUInt16BE(at) === SOT) {
    const number = bytes.readUInt16BE(at + 4);
    const tile: TileParts = tiles.get(number) ?? { ...createStyles(), data: [], packed: [] };
    tiles.set(number, tile);
    const isNext = bytes.readUInt16BE(at + 2) === 10 && bytes[at + 10] === tile.data.length;
    const declared = bytes[at + 11]!;
    if (!isNext || (declared > 0 && declared <= tile.data.length)) return undefined;
    const length = bytes.readUInt32BE(at + 6);
    const end = length === 0 ? findEnd(bytes) : at + length;
    if (end > bytes.length) return undefined;
    let data = at + 12;
    for (; data + 4 <= end && bytes.readUInt16BE(data) !== SOD; data += 2 + bytes.readUInt16BE(data + 2)) {
      const marker = bytes.readUInt16BE(data);
      const segment = bytes.subarray(data + 4, data + 2 + bytes.readUInt16BE(data + 2));
      // The first byte counts the segments.
      if (marker === PPT && packed === undefined) tile.packed.push(segment.subarray(1));
      else if (!readStyle(tile, marker, segment)) return undefined;
    }
    if (data + 2 > end || bytes.readUInt16BE(data) !== SOD) return undefined;
    tile.data.push(bytes.subarray(data + 2, end));
    if (packed !== undefined) {
      // Table A.36: each tile-part has the length of its headers before them.
      if (packedAt + 4 > packed.length) return undefined;
      const packedEnd = packedAt + 4 + packed.readUInt32BE(packedAt);
      tile.packed.push(packed.subarray(packedAt + 4, packedEnd));
      packedAt = packedEnd;
    }
    at = end;
  }
  // Without the end marker there is nothing, or padding.
  const next = at + 2 <= bytes.length ? bytes.readUInt16BE(at) : EOC;
  if (next !== EOC && next !== 0) return undefined;
  return tiles;
}

/** Segments of packed headers count themselves in their first byte, and may divide the headers anywhere. A.7.4. */
function joinPacked(segments: readonly Buffer[]): Buffer | undefined {
  if (segments.length === 0) return undefined;
  const inOrder = segments.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
  return Buffer.concat(inOrder.map((segment) => segment.subarray(1)));
}

function joinParts(parts: readonly Buffer[]): Uint8Array {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

/** The end marker, before a byte of padding if there is one. */
function findEnd(bytes: Buffer): number {
  return bytes.readUInt16BE(bytes.length - 2) === EOC ? bytes.length - 2 : bytes.length - 3;
}
