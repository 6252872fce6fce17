import type { FrameDamage } from '../../../../shared/frameDamage.ts';
import { type StreamShape, DecodeError, unmeasuredDamage } from './codec.ts';

/** The main header of a JPEG 2000 or HTJ2K codestream, before the first tile. ITU-T T.800 Annex A. */
export type J2kHeader = StreamShape & {
  readonly signed: boolean;
  /** Position of each component's Ssiz within the codestream. */
  readonly signPositions: readonly number[];
  /** Position of the style of the code-blocks, for all components and for each that has its own. */
  readonly blockStylePositions: readonly number[];
  /** Whether a component transform (RCT or ICT) was applied, which every decoder undoes. */
  readonly componentTransform: boolean;
  /** An array-based transform of Part 2, which none of the decoders supports. */
  readonly arrayTransform: boolean;
  readonly reversible: boolean;
  /** Coded with the HTJ2K block coder. */
  readonly highThroughput: boolean;
  readonly resolutions: number;
  /** Whether packet headers end with a marker. */
  readonly hasPacketEnds: boolean;
  readonly extent: J2kExtent;
};

const MAXIMUM_TILES = 65_535;
/** OpenJPEG allocates about this much for each tile that the header declares, whether it is there or not. */
const BYTES_PER_TILE = 9 * 1024;
/** Up to this many tiles, that is little memory. */
const FEW_TILES = 4096;
/** A decode is estimated to take this much for each sample. Tiles of fewer than 24 x 24 samples take more. */
const BYTES_PER_SAMPLE = 16;
const MAXIMUM_COMPONENTS = 4;
const MAXIMUM_LAYERS = 1024;
const MAXIMUM_RESOLUTIONS = 33;

const SOC = 0xff4f;
const SIZ = 0xff51;
const COD = 0xff52;
const COC = 0xff53;
const QCD = 0xff5c;
const SOT = 0xff90;
const SOD = 0xff93;
const EOC = 0xffd9;
const COM = 0xff64;
const MCT = 0xff74;
const MCC = 0xff75;

/** Returns the bare codestream. Some writers wrap it in a JP2 file, which the standard does not allow. */
export function findCodestream(stream: Uint8Array): Uint8Array {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.length);
  if (stream.length >= 2 && view.getUint16(0) === SOC) return stream;
  for (let at = 0; at + 8 <= stream.length;) {
    const length = view.getUint32(at);
    const type = view.getUint32(at + 4);
    const header = length === 1 ? 16 : 8;
    // 'jp2c'
    if (type === 0x6a703263) return stream.subarray(at + header, length > header ? at + length : stream.length);
    if (length < header) break;
    at += length;
  }
  throw new DecodeError('the stream does not start as JPEG 2000');
}

/** Removes a comment after the last tile-part: some writers pad there, and decoders refuse it. */
export function dropTrailingComment(codestream: Uint8Array): Uint8Array {
  const at = findTrailingComment(new DataView(codestream.buffer, codestream.byteOffset, codestream.length));
  if (at === undefined) return codestream;
  const ended = codestream.slice(0, at + 2);
  ended.set([EOC >> 8, EOC & 0xff], at);
  return ended;
}

function findTrailingComment(view: DataView): number | undefined {
  let hasTile = false;
  for (let at = 2; at + 12 <= view.byteLength;) {
    const marker = view.getUint16(at);
    if (marker === COM && hasTile) return at;
    if (marker === SOT) hasTile = true;
    const length = marker === SOT ? view.getUint32(at + 6) : view.getUint16(at + 2) + 2;
    if (length < 4) return undefined;
    at += length;
  }
  return undefined;
}

export function readJ2kHeader(codestream: Uint8Array): J2kHeader {
  const view = new DataView(codestream.buffer, codestream.byteOffset, codestream.length);
  let size: ReturnType<typeof parseSize> | undefined;
  let style: ReturnType<typeof parseStyle> | undefined;
  let arrayTransform = false;
  const blockStylePositions: number[] = [];
  const lengths = new Map<number, number>();
  let quantization = 0;
  let at = 2;
  while (at + 4 <= codestream.length) {
    const marker = view.getUint16(at);
    if (marker === SOT) break;
    const length = view.getUint16(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > codestream.length) throw new DecodeError('the JPEG 2000 header is truncated');
    if (marker === SIZ) size = parseSize(view, at + 4, end);
    else if (marker === COD) style = parseStyle(view, at + 4, end);
    else if (marker === QCD && length > 2) quantization = view.getUint8(at + 4) & 0x1f;
    else if (marker === MCT || marker === MCC) arrayTransform = true;
    lengths.set(marker, length);
    // Tables A.12 and A.22; with up to 256 components, the number of one takes a byte.
    if (marker === COD) blockStylePositions.push(at + 12);
    else if (marker === COC && length >= 9) blockStylePositions.push(at + 9);
    at = end;
  }
  if (size === undefined || style === undefined) throw new DecodeError('the JPEG 2000 header lacks SIZ or COD');
  const { grid, ...shape } = size;
  const { hasPrecincts, ...styles } = style;
  const extent = measureTileParts(view, at, grid);
  const whole = { ...shape, ...styles, hasPrecincts, quantization, hasOwnStyles: blockStylePositions.length > 1 };
  const damage = extent.damage ?? (areWhole(lengths, whole) ? undefined : unmeasuredDamage('corrupt'));
  return { ...shape, ...styles, arrayTransform, blockStylePositions, extent: { ...extent, damage } };
}

type HeaderCounts = Pick<J2kHeader, 'components' | 'resolutions'> & {
  readonly hasPrecincts: boolean;
  /** Whether a component has a style of its own, with another number of resolutions. */
  readonly hasOwnStyles: boolean;
  readonly quantization: number;
};

/** Whether the segments are exactly as long as what they say that they hold. Equations of T.800. */
function areWhole(lengths: ReadonlyMap<number, number>, counts: HeaderCounts): boolean {
  const { components, resolutions, hasPrecincts, hasOwnStyles, quantization } = counts;
  if (lengths.get(SIZ) !== 38 + 3 * components) return false;
  if (lengths.get(COD) !== (hasPrecincts ? 12 + resolutions : 12)) return false;
  const bands = 3 * resolutions - 2;
  const expected = [3 + bands, 5, 3 + 2 * bands][quantization];
  return hasOwnStyles || lengths.get(QCD) === expected;
}

/**
 * Completes a truncated codestream so that decoders which would refuse it show what is present: zeros up to the
 * declared end of the last tile-part, then the end marker. A tile-part that ends within its own header is dropped.
 */
export function completeCodestream(codestream: Uint8Array, { end, lacksBytes, headlessAt }: J2kExtent): Uint8Array {
  if (end === 'marked') return codestream;
  const usable = codestream.subarray(0, headlessAt);
  const filling = headlessAt === undefined ? Math.min(lacksBytes, usable.length + 65_536) : 0;
  const whole = new Uint8Array(usable.length + filling + 2);
  whole.set(usable);
  whole.set([EOC >> 8, EOC & 0xff], whole.length - 2);
  return whole;
}

/** How far the tile-parts of a codestream reach according to their headers, without decoding. */
export type J2kExtent = {
  /** `marked`: the end marker is in its place. `missing`: it is absent. `broken`: something else is in its place. */
  readonly end: 'marked' | 'missing' | 'broken';
  /** Number of bytes missing from the last tile-part. */
  readonly lacksBytes: number;
  /** Where the stream is cut for decoders: a last tile-part whose header is incomplete, or what is none. */
  readonly headlessAt: number | undefined;
  /** Start of the data of the truncated tile-part. */
  readonly cutDataAt: number | undefined;
  readonly damage: FrameDamage | undefined;
};

type TileGrid = {
  readonly tiles: number;
  /** The part of the image that a tile covers: its number of pixels, and its first row in the image. */
  readonly cover: (tile: number) => { readonly pixels: number; readonly firstRow: number };
};

type TileState = { parts: number; declaredParts: number; isCut: boolean };

/** Share of the bytes that are missing, if the last tile-part present is known to be the last one declared. */
function shareOfData(
  state: TileState | undefined,
  { lacksBytes, declaredBytes }: { readonly lacksBytes: number; readonly declaredBytes: number },
): number | undefined {
  const isLast = state !== undefined && state.declaredParts > 0 && state.parts >= state.declaredParts;
  return isLast && state.isCut ? lacksBytes / declaredBytes : undefined;
}

function measureTileParts(view: DataView, firstTilePart: number, grid: TileGrid): J2kExtent {
  const seen = new Map<number, TileState>();
  let end: J2kExtent['end'] = 'missing';
  let lacksBytes = 0;
  let headlessAt: number | undefined;
  let cutDataAt: number | undefined;
  let isOpenEnded = false;
  let at = firstTilePart;
  while (at + 2 <= view.byteLength) {
    const marker = view.getUint16(at);
    if (marker === EOC) end = 'marked';
    else if (marker !== SOT && marker !== COM && !isPadding(view, at)) end = 'broken';
    if (marker !== SOT && marker !== COM) break;
    if (at + 12 > view.byteLength) {
      if (marker === SOT) headlessAt = at;
      break;
    }
    const length = marker === SOT ? view.getUint32(at + 6) : view.getUint16(at + 2) + 2;
    if (marker === SOT) {
      const tile = view.getUint16(at + 4);
      const state = seen.get(tile) ?? { parts: 0, declaredParts: 0, isCut: false };
      state.parts++;
      state.declaredParts = Math.max(state.declaredParts, view.getUint8(at + 11));
      seen.set(tile, state);
      // Psot 0: this tile-part extends to the end marker.
      if (length === 0) {
        if (endsWithMarker(view)) end = 'marked';
        else isOpenEnded = true;
        break;
      }
      if (at + length > view.byteLength) {
        lacksBytes = at + length - view.byteLength;
        state.isCut = true;
        cutDataAt = findTileData(view, at + 12);
        if (cutDataAt === undefined) headlessAt = at;
        break;
      }
    }
    if (length < 12) {
      end = 'broken';
      break;
    }
    at += length;
  }
  const missingData =
    grid.tiles === 1
      ? shareOfData(seen.get(0), { lacksBytes, declaredBytes: view.byteLength + lacksBytes - firstTilePart })
      : undefined;
  // A single remaining byte cannot be a marker, and behind what is no tile-part decoders find none.
  if (view.byteLength - at === 1 || end === 'broken') headlessAt = at;
  // The tile-part reaches over the end marker: bytes of it are missing.
  if (end === 'missing' && !isOpenEnded && lacksBytes === 0 && endsWithMarker(view)) end = 'broken';
  // Without any tile-part there is nothing to decode; the decoder reports the error.
  if (headlessAt === firstTilePart) headlessAt = undefined;
  return {
    end,
    lacksBytes,
    headlessAt,
    cutDataAt,
    damage: findTileDamage(grid, { seen, end, isOpenEnded, missingData }),
  };
}

/** Zeros up to the end: a value of odd length is padded, and some writers leave them over. */
function isPadding(view: DataView, start: number): boolean {
  for (let at = start; at < view.byteLength; at++) if (view.getUint8(at) !== 0) return false;
  return true;
}

/** Start of the data of a tile-part, after its header; undefined if the header is incomplete. */
function findTileData(view: DataView, start: number): number | undefined {
  for (let at = start; at + 2 <= view.byteLength;) {
    if (view.getUint16(at) === SOD) return at + 2;
    if (at + 4 > view.byteLength) return undefined;
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

type SeenTiles = {
  readonly seen: ReadonlyMap<number, TileState>;
  readonly end: J2kExtent['end'];
  readonly isOpenEnded: boolean;
  readonly missingData: number | undefined;
};

function findTileDamage(grid: TileGrid, { seen, end, isOpenEnded, missingData }: SeenTiles): FrameDamage | undefined {
  const isIncomplete = (tile: number) => {
    const state = seen.get(tile);
    if (state === undefined || state.isCut || state.parts < state.declaredParts) return true;
    // Without the end marker, the last part is certain only if a single part is declared: some writers declare one part
    // too few.
    return end !== 'marked' && state.declaredParts !== 1;
  };
  let [incomplete, pixels, missingPixels, intactRows] = [0, 0, 0, Infinity];
  for (let tile = 0; tile < grid.tiles; tile++) {
    const covered = grid.cover(tile);
    pixels += covered.pixels;
    if (!isIncomplete(tile)) continue;
    incomplete++;
    missingPixels += covered.pixels;
    intactRows = Math.min(intactRows, covered.firstRow);
  }
  if (end === 'broken') return unmeasuredDamage('corrupt');
  if (isOpenEnded) return unmeasuredDamage('truncated');
  if (incomplete === 0) return undefined;
  // The data of a tile contributes to all of its pixels, so the effect of a cut cannot be counted in pixels.
  if (incomplete === grid.tiles) return { ...unmeasuredDamage('truncated'), missingData };
  return { kind: end === 'marked' ? 'corrupt' : 'truncated', missing: missingPixels / pixels, intactRows };
}

function endsWithMarker(view: DataView): boolean {
  const last = view.byteLength - 2;
  // Values of odd length are padded with one byte.
  return view.getUint16(last) === EOC || (last > 0 && view.getUint16(last - 1) === EOC);
}

function parseSize(view: DataView, at: number, end: number) {
  if (end - at < 36) throw new DecodeError('SIZ is truncated');
  const field = (index: number) => view.getUint32(at + 2 + 4 * index);
  const size = { x: field(0), y: field(1) };
  const offset = { x: field(2), y: field(3) };
  const tile = { width: field(4), height: field(5), x: field(6), y: field(7) };
  const components = view.getUint16(at + 34);
  if (components < 1 || components > MAXIMUM_COMPONENTS || at + 36 + 3 * components > end) {
    throw new DecodeError(`${components} components are more than ${MAXIMUM_COMPONENTS}, or none`);
  }
  const positions = Array.from({ length: components }, (_, i) => at + 36 + 3 * i);
  if (positions.some((position) => view.getUint8(position + 1) !== 1 || view.getUint8(position + 2) !== 1)) {
    throw new DecodeError('the components are subsampled, which DICOM does not allow');
  }
  const depths = positions.map((position) => view.getUint8(position));
  if (depths.some((depth) => depth !== depths[0])) throw new DecodeError('the components differ in depth or sign');
  const tilesPerRow = Math.ceil((size.x - tile.x) / tile.width);
  const tiles = tilesPerRow * Math.ceil((size.y - tile.y) / tile.height);
  if (!(tiles >= 1 && tiles <= MAXIMUM_TILES)) throw new DecodeError(`${tiles} tiles are more than ${MAXIMUM_TILES}`);
  const samples = (size.x - offset.x) * (size.y - offset.y) * components;
  if (tiles > FEW_TILES && tiles * BYTES_PER_TILE > samples * BYTES_PER_SAMPLE) {
    throw new DecodeError(`${tiles} tiles of ${tile.width} x ${tile.height} take too much memory`);
  }
  const cover = (number: number) => {
    const left = tile.x + (number % tilesPerRow) * tile.width;
    const top = tile.y + Math.floor(number / tilesPerRow) * tile.height;
    const width = Math.min(left + tile.width, size.x) - Math.max(left, offset.x);
    const height = Math.min(top + tile.height, size.y) - Math.max(top, offset.y);
    return { pixels: Math.max(0, width) * Math.max(0, height), firstRow: Math.max(0, top - offset.y) };
  };
  return {
    grid: { tiles, cover },
    columns: size.x - offset.x,
    rows: size.y - offset.y,
    components,
    precision: (depths[0]! & 0x7f) + 1,
    signed: depths[0]! >= 0x80,
    signPositions: positions,
  };
}

function parseStyle(view: DataView, at: number, end: number) {
  if (end - at < 10) throw new DecodeError('COD is truncated');
  const layers = view.getUint16(at + 2);
  const resolutions = view.getUint8(at + 5) + 1;
  if (layers > MAXIMUM_LAYERS) throw new DecodeError(`${layers} layers are more than ${MAXIMUM_LAYERS}`);
  if (resolutions > MAXIMUM_RESOLUTIONS)
    throw new DecodeError(`${resolutions} resolutions are more than ${MAXIMUM_RESOLUTIONS}`);
  return {
    componentTransform: view.getUint8(at + 4) === 1,
    reversible: view.getUint8(at + 9) === 1,
    highThroughput: (view.getUint8(at + 8) & 0x40) !== 0,
    resolutions,
    hasPrecincts: (view.getUint8(at) & 1) !== 0,
    hasPacketEnds: (view.getUint8(at) & 4) !== 0,
  };
}
