import type { J2kHeader } from './j2kHeader.ts';
import { type J2kLayout, type Progression, readJ2kLayout } from './j2kLayout.ts';

/** A code-block, as the packets describe it. Its place and size are in samples of the whole plane of coefficients. */
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
  /** One part for each layer that contributes. */
  readonly parts: Uint8Array[];
};

type CodedPicture = { readonly columns: number; readonly rows: number; readonly components: number };

/** Bits of a length before any of them is announced. T.800 B.10.7.1. */
const FIRST_LENGTH_BITS = 3;
const MOST_LENGTH_BITS = 32;
const MOST_PASSES = 164;
/** Each block takes memory and is looked at for each packet, so streams with many more of them are left to the library. */
const FEW_BLOCKS = 4096;
const SAMPLES_PER_BLOCK = 256;

type Band = {
  readonly planes: number;
  readonly across: number;
  readonly blocks: readonly CodeBlock[];
  readonly lengthBits: Uint8Array;
  readonly inclusion: TagTree;
  readonly zeroPlanes: TagTree;
};

/**
 * Reads all packets. `unusual`: there are too many code-blocks. `wrong`: the packets are not exactly as long as the
 * tile-parts, or say what cannot be. T.800 B.10.
 */
export function readJ2kPackets(layout: J2kLayout, picture: CodedPicture): readonly CodeBlock[] | 'unusual' | 'wrong' {
  const { layers, levels, packets } = layout;
  const { columns, rows, components } = picture;
  const blockCount =
    ((columns >> layout.blockWidth) + 2 * levels + 2) * ((rows >> layout.blockHeight) + 2 * levels + 2);
  if (blockCount > FEW_BLOCKS + (columns * rows) / SAMPLES_PER_BLOCK) return 'unusual';
  const resolutions = Array.from({ length: components }, (_, component) =>
    Array.from({ length: levels + 1 }, (__, resolution) => buildBands(layout, picture, component, resolution)),
  );
  const bits = createHeaderBits(packets);
  for (const [layer, resolution, component] of listPackets(layout.progression, { layers, levels, components })) {
    const bands = resolutions[component]![resolution]!;
    if (!readPacket(bits, bands, layer, layout)) return 'wrong';
  }
  if (bits.at !== packets.length) return 'wrong';
  return resolutions.flat(2).flatMap(({ blocks }) => blocks);
}

/** Whether the packets of a stream that can be read here are wrong. It reads no more than their headers and markers. */
export function hasWrongPackets(codestream: Uint8Array, header: J2kHeader): boolean {
  const layout = readJ2kLayout(codestream, header);
  return layout !== undefined && readJ2kPackets(layout, header) === 'wrong';
}

type PacketCounts = { readonly layers: number; readonly levels: number; readonly components: number };

/** Layer, resolution and component of each packet, in their order in the stream. */
function* listPackets(progression: Progression, { layers, levels, components }: PacketCounts) {
  const counts = { L: layers, R: levels + 1, C: components };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the three letters of a progression
  const [first, second, third] = progression.split('') as ('L' | 'R' | 'C')[];
  const at = { L: 0, R: 0, C: 0 };
  for (at[first!] = 0; at[first!] < counts[first!]; at[first!]++)
    for (at[second!] = 0; at[second!] < counts[second!]; at[second!]++)
      for (at[third!] = 0; at[third!] < counts[third!]; at[third!]++) yield [at.L, at.R, at.C] as const;
}

function buildBands(layout: J2kLayout, picture: CodedPicture, component: number, resolution: number): readonly Band[] {
  const { levels, blockWidth, blockHeight } = layout;
  const sizeAt = (level: number) => ({
    width: Math.ceil(picture.columns / 2 ** (levels - level)),
    height: Math.ceil(picture.rows / 2 ** (levels - level)),
  });
  const whole = sizeAt(resolution);
  const low = resolution === 0 ? whole : sizeAt(resolution - 1);
  const high = { width: whole.width - low.width, height: whole.height - low.height };
  const kinds = resolution === 0 ? ([0] as const) : ([1, 2, 3] as const);
  return kinds.map((band): Band => {
    const { planes, scale } = layout.bands[resolution === 0 ? 0 : 3 * resolution - 3 + band]!;
    const isRight = band === 1 || band === 3;
    const isBelow = band === 2 || band === 3;
    const width = isRight ? high.width : low.width;
    const height = isBelow ? high.height : low.height;
    const [left, top] = [isRight ? low.width : 0, isBelow ? low.height : 0];
    const isEmpty = width === 0 || height === 0;
    const across = isEmpty ? 0 : Math.ceil(width / 2 ** blockWidth);
    const down = isEmpty ? 0 : Math.ceil(height / 2 ** blockHeight);
    const blocks = Array.from({ length: across * down }, (_, i): CodeBlock => {
      const x = (i % across) * 2 ** blockWidth;
      const y = Math.floor(i / across) * 2 ** blockHeight;
      return {
        component,
        resolution,
        band,
        x: left + x,
        y: top + y,
        width: Math.min(2 ** blockWidth, width - x),
        height: Math.min(2 ** blockHeight, height - y),
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
  });
}

/** Returns whether the packet is as expected. */
function readPacket(bits: HeaderBits, bands: readonly Band[], layer: number, layout: J2kLayout): boolean {
  const { packets } = layout;
  const included: { readonly block: CodeBlock; readonly length: number }[] = [];
  if (bits.read(1) === 1) {
    for (const band of bands) {
      for (const [i, block] of band.blocks.entries()) {
        const [x, y] = [i % band.across, Math.floor(i / band.across)];
        const isFirst = block.passes === 0;
        const isIncluded = isFirst ? band.inclusion.isBelow(bits, x, y, layer + 1) : bits.read(1) === 1;
        if (!isIncluded) continue;
        if (isFirst) {
          let zeros = 0;
          while (!band.zeroPlanes.isBelow(bits, x, y, zeros + 1)) if (++zeros > band.planes) return false;
          block.planes = band.planes - zeros;
          if (block.planes > layout.mostPlanes) return false;
          band.lengthBits[i] = FIRST_LENGTH_BITS;
        }
        const passes = readPasses(bits);
        while (bits.read(1) === 1) if (++band.lengthBits[i]! > MOST_LENGTH_BITS) return false;
        const length = bits.read(band.lengthBits[i]! + Math.floor(Math.log2(passes)));
        block.passes += passes;
        // The first bit plane has one pass, each other one three.
        if (block.passes > Math.min(MOST_PASSES, 3 * block.planes - 2) || length > packets.length) return false;
        included.push({ block, length });
      }
    }
  }
  bits.align();
  for (const { block, length } of included) {
    const part = packets.subarray(bits.at, bits.at + length);
    if (hasMarker(part)) return false;
    block.parts.push(part);
    bits.at += length;
  }
  return bits.at <= packets.length && !bits.isWrong;
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
