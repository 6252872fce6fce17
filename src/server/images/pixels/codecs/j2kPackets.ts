import type { J2kHeader } from './j2kHeader.ts';
import {
  type ComponentLayout,
  type J2kLayout,
  type Progression,
  type ProgressionOrder,
  readJ2kLayout,
  type SubBand,
  type TileEdges,
  type TileLayout,
} from './j2kLayout.ts';

/** A code-block, as the packets describe it. Its place and size are in samples of the whole plane of coefficients of its tile. */
export type CodeBlock = {
  readonly component: number;
  readonly resolution: number;
  /** LL, HL, LH, HH. */
  readonly band: 0 | 1 | 2 | 3;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Half the quantization step; 0 if coefficients are not quantized. */
  readonly scale: number;
  /** The number of bit planes that are coded. */
  planes: number;
  passes: number;
  /** One part for each segment of each layer that contributes. */
  readonly parts: Uint8Array[];
};

/** Bits of a length before any of them is announced. T.800 B.10.7.1. */
const FIRST_LENGTH_BITS = 3;
const MOST_LENGTH_BITS = 32;
const MOST_PASSES = 164;
/** Each block and precinct takes memory and is looked at for each packet, so tiles with many more of them are left to the library. */
const FEW_BLOCKS = 4096;
const SAMPLES_PER_BLOCK = 256;
/** Several progressions may name the same packets; those that name many more than there can be are left to the library. */
const MOST_NAMED_PACKETS_PER_BYTE = 8;

/** Styles of code-blocks. Table A.19. */
const BYPASS = 1;
const TERMINATE_EACH = 4;
/** A.8.1: marker, length, number. A.8.2: marker. */
const SOP = 0xff91;
const SOP_BYTES = 6;
const EPH = 0xff92;
const EPH_BYTES = 2;

/** The code-blocks of a sub-band within a precinct. */
type Band = {
  readonly planes: number;
  readonly across: number;
  readonly blocks: readonly CodeBlock[];
  readonly lengthBits: Uint8Array;
  readonly inclusion: TagTree;
  readonly zeroPlanes: TagTree;
};

/** B.6. Positions are on the reference grid, indices are those of the precincts of all space. */
type Precinct = {
  readonly component: number;
  readonly resolution: number;
  readonly column: number;
  readonly row: number;
  readonly x: number;
  readonly y: number;
  /** The first layer whose packet has not been read. */
  nextLayer: number;
  bands: readonly Band[] | undefined;
};

/**
 * Reads all packets. `unusual`: there are too many code-blocks. `wrong`: the packets are not exactly as long as the
 * tile-parts, or say what cannot be. T.800 B.10.
 */
export function readJ2kPackets(tile: TileLayout): readonly CodeBlock[] | 'unusual' | 'wrong' {
  const { packets, packedHeaders, components, layers } = tile;
  if (!isFew(tile)) return 'unusual';
  const precincts = components.flatMap((layout, component) => listPrecincts(tile, layout, component));
  const reader: PacketReader = { tile, bits: createHeaderBits(packedHeaders ?? packets), at: 0, packets: 0 };
  let named = 0;
  for (const progression of tile.progressions) {
    const inOrder = precincts
      .filter((precinct) => isIn(progression, precinct))
      .toSorted(COMPARISONS[progression.order]);
    const layerEnd = Math.min(layers, progression.layerEnd);
    named += inOrder.length * layerEnd;
    const isRepeated = tile.progressions.length > 1;
    if (isRepeated && named > FEW_BLOCKS + packets.length * MOST_NAMED_PACKETS_PER_BYTE) return 'unusual';
    for (const group of groupPrecincts(progression.order, inOrder)) {
      for (let layer = 0; layer < layerEnd; layer++) {
        for (const precinct of group) {
          if (layer < precinct.nextLayer) continue;
          precinct.nextLayer = layer + 1;
          precinct.bands ??= buildBands(tile, components[precinct.component]!, precinct);
          if (!readPacket(reader, precinct.bands, layer)) return 'wrong';
        }
      }
    }
  }
  if (reader.at !== packets.length) return 'wrong';
  if (packedHeaders !== undefined && reader.bits.at !== packedHeaders.length) return 'wrong';
  return precincts.flatMap(({ bands }) => (bands ?? []).flatMap(({ blocks }) => blocks));
}

/** What is known of the packets of a stream. It reads no more than their headers and markers. `unusual`: nothing. */
export function checkJ2kPackets(codestream: Uint8Array, header: J2kHeader): 'right' | 'wrong' | 'unusual' {
  const layout: J2kLayout | undefined = readJ2kLayout(codestream, header);
  let isUnusual = layout === undefined;
  for (const tile of layout?.tiles ?? []) {
    const blocks = readJ2kPackets(tile);
    if (blocks === 'wrong') return 'wrong';
    if (blocks === 'unusual') isUnusual = true;
  }
  return isUnusual ? 'unusual' : 'right';
}

/** Equation B-15: the edges of the part of a tile that a resolution, or a sub-band of it, has after `halvings`. */
function reduceEdges(edges: TileEdges, halvings: number, band: CodeBlock['band'] = 0): TileEdges {
  const scale = 2 ** halvings;
  const [right, below] = [isRightBand(band) ? scale / 2 : 0, isLowerBand(band) ? scale / 2 : 0];
  return {
    left: Math.ceil((edges.left - right) / scale),
    top: Math.ceil((edges.top - below) / scale),
    right: Math.ceil((edges.right - right) / scale),
    bottom: Math.ceil((edges.bottom - below) / scale),
  };
}

function isRightBand(band: CodeBlock['band']): boolean {
  return band === 1 || band === 3;
}

function isLowerBand(band: CodeBlock['band']): boolean {
  return band === 2 || band === 3;
}

/** Indices of the cells of a grid from the origin that have a part of a rectangle. Sizes of cells are powers of 2. */
function findCells({ left, top, right, bottom }: TileEdges, widthLog: number, heightLog: number): TileEdges {
  if (right <= left || bottom <= top) return { left: 0, top: 0, right: 0, bottom: 0 };
  const [width, height] = [2 ** widthLog, 2 ** heightLog];
  return {
    left: Math.floor(left / width),
    top: Math.floor(top / height),
    right: Math.ceil(right / width),
    bottom: Math.ceil(bottom / height),
  };
}

function countCells(cells: TileEdges): number {
  return (cells.right - cells.left) * (cells.bottom - cells.top);
}

/** Whether the precincts of a tile, and its code-blocks, are not many more than usual. */
function isFew(tile: TileLayout): boolean {
  const samples = (tile.right - tile.left) * (tile.bottom - tile.top);
  return tile.components.every((layout) => {
    let count = 0;
    for (let resolution = 0; resolution <= layout.levels; resolution++) {
      const edges = reduceEdges(tile, layout.levels - resolution);
      const { width, height } = layout.precincts[resolution]!;
      const [blockWidth, blockHeight] = blockSizeIn(layout, resolution);
      // Of a resolution that adds three sub-bands, these have three quarters.
      const blocks = countCells(findCells(edges, blockWidth, blockHeight));
      count += countCells(findCells(edges, width, height)) + blocks;
    }
    return count <= FEW_BLOCKS + samples / SAMPLES_PER_BLOCK;
  });
}

/** B.7: exponents of the size of a code-block, which is not larger than its part of a precinct. */
function blockSizeIn(layout: ComponentLayout, resolution: number): readonly [number, number] {
  const { width, height } = layout.precincts[resolution]!;
  const halved = resolution === 0 ? 0 : 1;
  return [Math.min(layout.blockWidth, width - halved), Math.min(layout.blockHeight, height - halved)];
}

function listPrecincts(tile: TileLayout, layout: ComponentLayout, component: number): readonly Precinct[] {
  return layout.precincts.flatMap(({ width, height }, resolution) => {
    const halvings = layout.levels - resolution;
    const edges = reduceEdges(tile, halvings);
    const cells = findCells(edges, width, height);
    const across = cells.right - cells.left;
    return Array.from({ length: countCells(cells) }, (_, i): Precinct => {
      const [column, row] = [cells.left + (i % across), cells.top + Math.floor(i / across)];
      const [x, y] = [column * 2 ** width, row * 2 ** height];
      return {
        component,
        resolution,
        column,
        row,
        // B.12.1.3: a precinct that the edge of the tile cuts is at that edge.
        x: x < edges.left ? tile.left : x * 2 ** halvings,
        y: y < edges.top ? tile.top : y * 2 ** halvings,
        nextLayer: 0,
        bands: undefined,
      };
    });
  });
}

function isIn(progression: Progression, { component, resolution }: Precinct): boolean {
  const { firstComponent, componentEnd, firstResolution, resolutionEnd } = progression;
  const isComponent = component >= firstComponent && component < componentEnd;
  return isComponent && resolution >= firstResolution && resolution < resolutionEnd;
}

type Place = 'resolution' | 'component' | 'x' | 'y' | 'column' | 'row';

function compareBy(...places: readonly Place[]) {
  return (a: Precinct, b: Precinct) => {
    for (const place of places) if (a[place] !== b[place]) return a[place] - b[place];
    return 0;
  };
}

/** B.12.1, without layers. */
const COMPARISONS: Readonly<Record<ProgressionOrder, (a: Precinct, b: Precinct) => number>> = {
  LRCP: compareBy('resolution', 'component', 'row', 'column'),
  RLCP: compareBy('resolution', 'component', 'row', 'column'),
  RPCL: compareBy('resolution', 'y', 'x', 'component'),
  PCRL: compareBy('y', 'x', 'component', 'resolution'),
  CPRL: compareBy('component', 'y', 'x', 'resolution'),
};

/** Within a group, each layer has all precincts before the next layer comes. */
function groupPrecincts(order: ProgressionOrder, precincts: readonly Precinct[]): readonly (readonly Precinct[])[] {
  if (order === 'LRCP') return [precincts];
  if (order !== 'RLCP') return precincts.map((precinct) => [precinct]);
  const groups: Precinct[][] = [];
  for (const precinct of precincts) (groups[precinct.resolution] ??= []).push(precinct);
  return groups.filter((group) => group !== undefined);
}

function buildBands(tile: TileLayout, layout: ComponentLayout, precinct: Precinct): readonly Band[] {
  const { resolution } = precinct;
  const kinds = resolution === 0 ? ([0] as const) : ([1, 2, 3] as const);
  return kinds.map((kind) => buildBand(tile, layout, precinct, kind));
}

function buildBand(
  tile: TileLayout,
  layout: ComponentLayout,
  { component, resolution, column, row }: Precinct,
  band: CodeBlock['band'],
): Band {
  const { levels, bands, precincts } = layout;
  const { planes, scale }: SubBand = bands[resolution === 0 ? 0 : 3 * resolution - 3 + band]!;
  const halved = resolution === 0 ? 0 : 1;
  const whole = reduceEdges(tile, levels - resolution + halved, band);
  const low = reduceEdges(tile, levels - resolution + halved);
  const [width, height] = [2 ** (precincts[resolution]!.width - halved), 2 ** (precincts[resolution]!.height - halved)];
  const part = {
    left: Math.max(whole.left, column * width),
    top: Math.max(whole.top, row * height),
    right: Math.min(whole.right, (column + 1) * width),
    bottom: Math.min(whole.bottom, (row + 1) * height),
  };
  const [blockWidth, blockHeight] = blockSizeIn(layout, resolution);
  const cells = findCells(part, blockWidth, blockHeight);
  const [across, down] = [cells.right - cells.left, cells.bottom - cells.top];
  // The sub-bands of a level are beside and below each other in the plane.
  const [shiftX, shiftY] = [isRightBand(band) ? low.right - low.left : 0, isLowerBand(band) ? low.bottom - low.top : 0];
  const blocks = Array.from({ length: across * down }, (_, i): CodeBlock => {
    const x = (cells.left + (i % across)) * 2 ** blockWidth;
    const y = (cells.top + Math.floor(i / across)) * 2 ** blockHeight;
    const [left, top] = [Math.max(x, part.left), Math.max(y, part.top)];
    return {
      component,
      resolution,
      band,
      x: shiftX + left - whole.left,
      y: shiftY + top - whole.top,
      width: Math.min(x + 2 ** blockWidth, part.right) - left,
      height: Math.min(y + 2 ** blockHeight, part.bottom) - top,
      scale,
      planes: 0,
      passes: 0,
      parts: [],
    };
  });
  return {
    planes,
    across,
    blocks,
    lengthBits: new Uint8Array(blocks.length),
    inclusion: createTagTree(across, down),
    zeroPlanes: createTagTree(across, down),
  };
}

type PacketReader = {
  readonly tile: TileLayout;
  /** Of the packed headers, or of the packets. */
  readonly bits: HeaderBits;
  /** The next byte of the packets, and how many packets are before it. */
  at: number;
  packets: number;
};

type IncludedSegment = { readonly block: CodeBlock; readonly length: number };

/** Returns whether the packet is as expected. */
function readPacket(reader: PacketReader, bands: readonly Band[], layer: number): boolean {
  const { tile, bits } = reader;
  const { packets, packedHeaders, mayHaveStarts, hasEnds } = tile;
  if (mayHaveStarts && readMarker(packets, reader.at) === SOP) {
    // Table A.40: packets are counted from 0, and again from 0 after 65,535.
    const isNext = readMarker(packets, reader.at + 2) === 4 && readMarker(packets, reader.at + 4) === reader.packets;
    if (!isNext) return false;
    reader.at += SOP_BYTES;
  }
  reader.packets = (reader.packets + 1) % 65_536;
  if (packedHeaders === undefined) bits.at = reader.at;
  const included: IncludedSegment[] = [];
  if (bits.read(1) === 1 && !bands.every((band) => readBand(reader, band, layer, included))) return false;
  bits.align();
  if (hasEnds) {
    if (readMarker(packedHeaders ?? packets, bits.at) !== EPH) return false;
    bits.at += EPH_BYTES;
  }
  if (packedHeaders === undefined) reader.at = bits.at;
  else if (bits.at > packedHeaders.length) return false;
  for (const { block, length } of included) {
    const part = packets.subarray(reader.at, reader.at + length);
    if (hasMarker(part)) return false;
    block.parts.push(part);
    reader.at += length;
  }
  return reader.at <= packets.length && !bits.isWrong;
}

/** Reads what the header of a packet says of a sub-band. Returns whether that can be. B.10.3 to B.10.7. */
function readBand({ tile, bits }: PacketReader, band: Band, layer: number, included: IncludedSegment[]): boolean {
  for (const [i, block] of band.blocks.entries()) {
    const { mostPlanes, blockStyle } = tile.components[block.component]!;
    const [x, y] = [i % band.across, Math.floor(i / band.across)];
    const isFirst = block.passes === 0;
    const isIncluded = isFirst ? band.inclusion.isBelow(bits, x, y, layer + 1) : bits.read(1) === 1;
    if (!isIncluded) continue;
    if (isFirst) {
      let zeros = 0;
      while (!band.zeroPlanes.isBelow(bits, x, y, zeros + 1)) if (++zeros > band.planes) return false;
      block.planes = band.planes - zeros;
      if (block.planes > mostPlanes) return false;
      band.lengthBits[i] = FIRST_LENGTH_BITS;
    }
    let passes = readPasses(bits);
    while (bits.read(1) === 1) if (++band.lengthBits[i]! > MOST_LENGTH_BITS) return false;
    // The first bit plane has one pass, each other one three.
    if (block.passes + passes > Math.min(MOST_PASSES, 3 * block.planes - 2)) return false;
    while (passes > 0) {
      const count = Math.min(passes, passesToEnd(block.passes, blockStyle));
      const length = bits.read(band.lengthBits[i]! + Math.floor(Math.log2(count)));
      if (length > tile.packets.length) return false;
      block.passes += count;
      passes -= count;
      included.push({ block, length });
    }
  }
  return true;
}

/** After how many more passes the data of a code-block is terminated. Tables D.8 and D.9. */
function passesToEnd(passes: number, blockStyle: number): number {
  if ((blockStyle & TERMINATE_EACH) !== 0) return 1;
  if ((blockStyle & BYPASS) === 0) return MOST_PASSES;
  // The first four bit planes, then two passes without arithmetic coding and one with it.
  return passes < 10 ? 10 - passes : (passes - 10) % 3 === 0 ? 2 : 1;
}

function readMarker(bytes: Uint8Array, at: number): number | undefined {
  return at + 2 <= bytes.length ? bytes[at]! * 256 + bytes[at + 1]! : undefined;
}

/** T.800 C.3.4 and B.10.1: no byte above 8F follows FF, so that decoders can find the next marker. */
function hasMarker(part: Uint8Array): boolean {
  for (let at = part.indexOf(0xff); at >= 0; at = part.indexOf(0xff, at + 1)) if (part[at + 1]! > 0x8f) return true;
  return false;
}

/** Table B.4. */
function readPasses(bits: HeaderBits): number {
  if (bits.read(1) === 0) return 1;
  if (bits.read(1) === 0) return 2;
  const few = bits.read(2);
  if (few < 3) return 3 + few;
  const some = bits.read(5);
  return some < 31 ? 6 + some : 37 + bits.read(7);
}

/** The bits of packet headers, which have a 0 after each byte FF. T.800 B.10.1. */
type HeaderBits = {
  /** The next byte. It may be beyond the end: bits from there are 0. */
  at: number;
  /** Whether a byte after FF begins with 1. */
  isWrong: boolean;
  read(count: number): number;
  /** Skips the rest of the byte, and a byte after FF. */
  align(): void;
};

function createHeaderBits(bytes: Uint8Array): HeaderBits {
  let byte = 0;
  let left = 0;
  const bits: HeaderBits = {
    at: 0,
    isWrong: false,
    read(count) {
      let value = 0;
      for (let i = 0; i < count; i++) {
        if (left === 0) {
          left = byte === 0xff ? 7 : 8;
          byte = bytes[bits.at] ?? 0;
          bits.at += 1;
          if (left === 7 && byte > 0x7f) bits.isWrong = true;
        }
        left -= 1;
        value = value * 2 + ((byte >> left) & 1);
      }
      return value;
    },
    align() {
      if (byte === 0xff) bits.at += 1;
      byte = 0;
      left = 0;
    },
  };
  return bits;
}

/** T.800 B.10.2: numbers of code-blocks, of which each node has the least of up to four below it. */
type TagTree = {
  /** Reads as many bits as it takes to know whether the number of a code-block is below `limit`. */
  isBelow(bits: HeaderBits, x: number, y: number, limit: number): boolean;
};

function createTagTree(across: number, down: number): TagTree {
  const levels: { readonly across: number; readonly least: Uint32Array; readonly isKnown: Uint8Array }[] = [];
  for (let [width, height] = [across, down]; width > 0 && height > 0;) {
    levels.push({ across: width, least: new Uint32Array(width * height), isKnown: new Uint8Array(width * height) });
    if (width * height === 1) break;
    [width, height] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  }
  return {
    isBelow(bits, x, y, limit) {
      let least = 0;
      let isKnown = false;
      for (let level = levels.length - 1; level >= 0; level--) {
        const nodes = levels[level]!;
        const node = Math.floor(y / 2 ** level) * nodes.across + Math.floor(x / 2 ** level);
        least = Math.max(least, nodes.least[node]!);
        while (nodes.isKnown[node] === 0 && least < limit) {
          if (bits.read(1) === 1) nodes.isKnown[node] = 1;
          else least += 1;
        }
        nodes.least[node] = least;
        isKnown = nodes.isKnown[node] === 1;
      }
      return isKnown && least < limit;
    },
  };
}
