import { type LookupTable, lookUp } from './lookupTable.ts';
import { applyModality, type ModalityTransform } from './modality.ts';
import { isPadding, type PixelPadding } from './padding.ts';
import { applyVoiWindow, toGrayLevel, type VoiWindow } from './voiWindow.ts';

/** Maps modality values to gray levels: through a window, or through a VOI lookup table. */
export type Voi =
  | { readonly kind: 'window'; readonly window: VoiWindow }
  | { readonly kind: 'lut'; readonly table: LookupTable };

/** Everything that determines the gray level of a stored sample. */
export type GrayPipeline = {
  readonly modality: ModalityTransform;
  readonly voi: Voi;
  readonly padding: PixelPadding | undefined;
  /** MONOCHROME1: low values are white. Inversion is the last step, so that windows stay in modality units. */
  readonly inverted: boolean;
};

/** The gray level of one stored sample, 0 to 255. Padding and NaN are black, whether inverted or not. */
export function toGray(stored: number, { modality, voi, padding, inverted }: GrayPipeline): number {
  if (Number.isNaN(stored) || isPadding(stored, padding)) return 0;
  const level = toGrayLevel(applyVoi(voi, applyModality(modality, stored)));
  return inverted ? 255 - level : level;
}

function applyVoi(voi: Voi, value: number): number {
  if (voi.kind === 'window') return applyVoiWindow(value, voi.window);
  const { table } = voi;
  return Math.min(255, (lookUp(table, value) / (2 ** table.bits - 1)) * 255);
}

export type SampleWidth = {
  readonly bytes: 1 | 2;
  readonly signed: boolean;
  /** Number of low bits that hold the sample; the bits above may have any value. Default: all. */
  readonly bits?: number;
};

/** The gray level of every possible sample, indexed by its bits as an unsigned number. */
export function buildGrayTable(pipeline: GrayPipeline, width: SampleWidth): Uint8Array {
  const { bytes, signed, bits = bytes * 8 } = width;
  const count = 2 ** bits;
  const lowest = signed ? -count / 2 : 0;
  const levels = new Uint8Array(count);
  const levelOf = (position: number) => toGray(lowest + position, { ...pipeline, padding: undefined });
  if (isMonotonic(pipeline)) fillMonotonic(levels, levelOf);
  else for (let position = 0; position < count; position++) levels[position] = levelOf(position);
  blackenPadding(levels, lowest, pipeline.padding);
  const table = new Uint8Array(2 ** (bytes * 8));
  // Read as unsigned, the negative values come last.
  const half = signed ? count / 2 : 0;
  table.set(levels.subarray(half));
  table.set(levels.subarray(0, half), half);
  for (let known = count; known < table.length; known *= 2) table.copyWithin(known, 0, known);
  return table;
}

/** Whether gray levels only rise or only fall with the samples. True unless the file has lookup tables. */
function isMonotonic({ modality, voi }: GrayPipeline): boolean {
  return modality.kind === 'rescale' && voi.kind === 'window';
}

/** Computes only the levels between black and white: a window covers a few hundred of 65,536 samples. */
function fillMonotonic(levels: Uint8Array, levelOf: (position: number) => number): void {
  const first = levelOf(0);
  const last = levelOf(levels.length - 1);
  const from = findChange(levels.length, (position) => levelOf(position) !== first);
  const to = findChange(levels.length, (position) => levelOf(position) === last);
  levels.fill(first, 0, from);
  for (let position = from; position < to; position++) levels[position] = levelOf(position);
  levels.fill(last, to);
}

/** The first position from which `isPast` holds; `length` if it never does. */
function findChange(length: number, isPast: (position: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isPast(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function blackenPadding(levels: Uint8Array, lowest: number, padding: PixelPadding | undefined): void {
  if (padding === undefined) return;
  const from = Math.max(0, Math.ceil(padding.low) - lowest);
  const to = Math.floor(padding.high) - lowest + 1;
  if (to > from) levels.fill(0, from, to);
}

/** Writes into `levels` if given. */
export function applyTable(
  indices: Uint8Array | Uint16Array,
  table: Uint8Array,
  levels: Uint8Array = new Uint8Array(indices.length),
): Uint8Array {
  const areAligned = indices.byteOffset % 4 === 0 && levels.byteOffset % 4 === 0;
  const done = !areAligned
    ? 0
    : indices instanceof Uint16Array
      ? applyInFours(indices, table, levels)
      : applyToBytes(indices, table, levels);
  for (let i = done; i < indices.length; i++) levels[i] = table[indices[i]!]!;
  return levels;
}

const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** Masks and the grounds of pictures are long runs: four samples that are those before are not looked up. Returns how many are done. */
function applyToBytes(indices: Uint8Array, table: Uint8Array, levels: Uint8Array): number {
  const fours = new Uint32Array(indices.buffer, indices.byteOffset, indices.length >>> 2);
  const packed = new Uint32Array(levels.buffer, levels.byteOffset, fours.length);
  let [last, written] = [0, table[0]! * 0x01010101];
  for (let i = 0; i < fours.length; i++) {
    const four = fours[i]!;
    if (four !== last) {
      last = four;
      written =
        table[four & 0xff]! |
        (table[(four >>> 8) & 0xff]! << 8) |
        (table[(four >>> 16) & 0xff]! << 16) |
        (table[four >>> 24]! << 24);
    }
    packed[i] = written;
  }
  return 4 * fours.length;
}

/** Reads two samples and writes four levels at a time, in half the time of a plain loop. Returns how many are done. */
function applyInFours(indices: Uint16Array, table: Uint8Array, levels: Uint8Array): number {
  if (!LITTLE_ENDIAN) return 0;
  const fours = indices.length >>> 2;
  const pairs = new Uint32Array(indices.buffer, indices.byteOffset, fours * 2);
  const packed = new Uint32Array(levels.buffer, levels.byteOffset, fours);
  for (let i = 0, from = 0; i < fours; i++, from += 2) {
    const first = pairs[from]!;
    const second = pairs[from + 1]!;
    packed[i] =
      table[first & 0xffff]! |
      (table[first >>> 16]! << 8) |
      (table[second & 0xffff]! << 16) |
      (table[second >>> 16]! << 24);
  }
  return fours * 4;
}

/** Keeps the tables used last, because building a table takes as long as applying it. */
export type GrayTables = { readonly get: (pipeline: GrayPipeline, width: SampleWidth) => Uint8Array };

export function createGrayTables(capacity = 64): GrayTables {
  const tables = new Map<string, Uint8Array>();
  return {
    get(pipeline, width) {
      const key = keyOf(pipeline, width);
      if (key === undefined) return buildGrayTable(pipeline, width);
      const table = tables.get(key) ?? buildGrayTable(pipeline, width);
      // A Map iterates in insertion order, so the most recently used table moves to the end.
      tables.delete(key);
      tables.set(key, table);
      for (const oldest of tables.keys()) {
        if (tables.size <= capacity) break;
        tables.delete(oldest);
      }
      return table;
    },
  };
}

/** Undefined if a lookup table of the file is involved, because it has no short key. */
function keyOf(
  { modality, voi, padding, inverted }: GrayPipeline,
  { bytes, signed, bits }: SampleWidth,
): string | undefined {
  if (modality.kind === 'lut' || voi.kind === 'lut') return undefined;
  const { slope, intercept } = modality;
  const { center, width, shape } = voi.window;
  return `${slope} ${intercept} ${center} ${width} ${shape} ${padding?.low} ${padding?.high} ${inverted} ${bytes} ${signed} ${bits}`;
}
