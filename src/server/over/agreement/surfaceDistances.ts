import type { GridSize, GridSpacingMm, MaskPair } from './maskPair.ts';
import { TEST, TRUTH } from './maskPair.ts';
import { surfelAreas } from './surfelAreas.ts';

/**
 * Distances between the surfaces of two masks, in millimetres. A surface is a set of elements: each corner of samples
 * whose eight neighbours are not all inside or all outside, with the area that the surface has among them. The distance
 * of an element is that of its corner from the nearest corner of the other surface. Undefined if a mask is empty.
 */
export type SurfaceDistances = {
  readonly truthToTest: DirectedDistances;
  readonly testToTruth: DirectedDistances;
};

/** From each element of one surface to the other surface. */
export type DirectedDistances = {
  readonly areaMm2: number;
  readonly meanMm: number;
  readonly largestMm: number;
  /** The smallest distance that 95 % of the area do not exceed. */
  readonly percentile95Mm: number;
  /** The area that is at most the tolerance away. */
  readonly withinMm2: number;
};

export type SurfaceRule = {
  readonly spacingMm: GridSpacingMm;
  readonly toleranceMm: number;
  /** Elements whose distances are kept for the percentile; if there are more, they are found again. */
  readonly mostKept?: number;
};

/** Elements whose distances are kept. */
export const MOST_KEPT_ELEMENTS = 2 ** 22;
const ROBUST = 0.95;

export function measureSurfaces(
  pair: MaskPair,
  rule: SurfaceRule,
  throwIfCancelled: () => void = () => undefined,
): SurfaceDistances | undefined {
  const [columns, rows, slices] = pair.size;
  const size: GridSize = [columns + 1, rows + 1, slices + 1];
  const shared = { pair, size, ...rule, areas: surfelAreas(rule.spacingMm), throwIfCancelled };
  const nearest = new NearestInSlices(size);
  // The distances from one surface replace those from the other.
  if (!findNearest(shared, TEST, nearest)) return undefined;
  const truthToTest = measureDirection(shared, TRUTH, nearest);
  if (truthToTest === undefined || !findNearest(shared, TRUTH, nearest)) return undefined;
  const testToTruth = measureDirection(shared, TEST, nearest);
  return testToTruth && { truthToTest, testToTruth };
}

type Shared = Required<Pick<SurfaceRule, 'spacingMm' | 'toleranceMm'>> &
  Pick<SurfaceRule, 'mostKept'> & {
    readonly pair: MaskPair;
    /** Corners along each axis. */
    readonly size: GridSize;
    readonly areas: Float64Array;
    readonly throwIfCancelled: () => void;
  };

/** No element of the surface is in the slice, or in the row. */
const NONE = 65_535;

/** For each corner, the way to the nearest element of a surface in its slice, in columns and rows. */
class NearestInSlices {
  readonly across: Uint16Array;
  readonly down: Uint16Array;

  constructor([columns, rows, slices]: GridSize) {
    this.across = new Uint16Array(columns * rows * slices);
    this.down = new Uint16Array(columns * rows * slices);
  }
}

/** Returns whether there is any element. */
function findNearest(
  { pair, size: [columns, rows, slices], spacingMm, throwIfCancelled }: Shared,
  bit: number,
  { across, down }: NearestInSlices,
): boolean {
  const codes = new CodeRows(pair, bit);
  const inRows = new Uint16Array(columns * rows);
  const envelope = new Envelope(rows, spacingMm[1]);
  const occupied = new Int32Array(rows);
  let isAny = false;
  for (let z = 0; z < slices; z += 1) {
    throwIfCancelled();
    const start = z * columns * rows;
    let count = 0;
    for (let y = 0; y < rows; y += 1) {
      const row = codes.read(y, z);
      if (row === undefined || !spreadAlong(row, inRows.subarray(y * columns, (y + 1) * columns))) continue;
      occupied[count++] = y;
    }
    if (count === 0) {
      across.fill(NONE, start, start + columns * rows);
      continue;
    }
    isAny = true;
    for (let x = 0; x < columns; x += 1) {
      envelope.clear();
      for (let n = 0; n < count; n += 1) {
        const y = occupied[n]!;
        const mm = inRows[y * columns + x]! * spacingMm[0];
        envelope.add(y, mm * mm);
      }
      envelope.begin();
      for (let y = 0; y < rows; y += 1) {
        const from = envelope.sourceOf(y);
        across[start + y * columns + x] = inRows[from * columns + x]!;
        down[start + y * columns + x] = Math.abs(y - from);
      }
    }
  }
  return isAny;
}

/** Steps along a row to the nearest element in it. Returns whether there is one. */
function spreadAlong(codes: Uint8Array, steps: Uint16Array): boolean {
  let last = -1;
  for (let x = 0; x < codes.length; x += 1) {
    if (isElement(codes[x]!)) {
      // Half way to the element before, if there is one.
      const from = last < 0 ? 0 : last + ((x - last) >> 1) + 1;
      for (let back = from; back <= x; back += 1) steps[back] = x - back;
      last = x;
    } else if (last >= 0) steps[x] = x - last;
  }
  return last >= 0;
}

function isElement(code: number): boolean {
  return code !== 0 && code !== 255;
}

type VisitElement = (distanceMm: number, areaMm2: number) => void;

function measureDirection(shared: Shared, bit: number, nearest: NearestInSlices): DirectedDistances | undefined {
  const { toleranceMm, mostKept = MOST_KEPT_ELEMENTS } = shared;
  const kept = new KeptElements(mostKept);
  let [area, moment, largest, within] = [0, 0, -1, 0];
  visitElements(shared, bit, nearest, (mm, mm2) => {
    area += mm2;
    moment += mm * mm2;
    if (mm > largest) largest = mm;
    if (mm <= toleranceMm) within += mm2;
    kept.add(mm, mm2);
  });
  if (largest < 0) return undefined;
  const visitAll = (visit: VisitElement) =>
    kept.isWhole ? kept.visit(visit) : visitElements(shared, bit, nearest, visit);
  return {
    areaMm2: area,
    meanMm: moment / area,
    largestMm: largest,
    percentile95Mm: findPercentile(visitAll, { share: ROBUST, area }),
    withinMm2: within,
  };
}

/** Calls `visit` with all elements of a surface, row by row through all slices. */
function visitElements(
  { pair, size: [columns, rows, slices], spacingMm, areas, throwIfCancelled }: Shared,
  bit: number,
  { across, down }: NearestInSlices,
  visit: VisitElement,
): void {
  const codes = new CodeRows(pair, bit);
  const ofRow = new Uint8Array(columns * slices);
  const filled = new Int32Array(slices);
  const isWanted = new Uint8Array(columns);
  const envelope = new Envelope(slices, spacingMm[2]);
  const squares = new Float64Array(slices);
  for (let y = 0; y < rows; y += 1) {
    throwIfCancelled();
    let count = 0;
    isWanted.fill(0);
    for (let z = 0; z < slices; z += 1) {
      const row = codes.read(y, z);
      if (row === undefined) continue;
      ofRow.set(row, z * columns);
      filled[count++] = z;
      for (let x = 0; x < columns; x += 1) if (isElement(row[x]!)) isWanted[x] = 1;
    }
    if (count === 0) continue;
    for (let x = 0; x < columns; x += 1) {
      if (isWanted[x] === 0) continue;
      envelope.clear();
      for (let z = 0, at = y * columns + x; z < slices; z += 1, at += columns * rows) {
        const steps = across[at]!;
        if (steps === NONE) continue;
        const [xMm, yMm] = [steps * spacingMm[0], down[at]! * spacingMm[1]];
        squares[z] = xMm * xMm + yMm * yMm;
        envelope.add(z, squares[z]!);
      }
      envelope.begin();
      for (let n = 0; n < count; n += 1) {
        const z = filled[n]!;
        const code = ofRow[z * columns + x]!;
        if (!isElement(code)) continue;
        const from = envelope.sourceOf(z);
        const zMm = (z - from) * spacingMm[2];
        visit(Math.sqrt(squares[from]! + zMm * zMm), areas[code]!);
      }
    }
  }
}

/** Which of the eight samples around the corners of a row are in a mask. */
class CodeRows {
  readonly #pair: MaskPair;
  readonly #bit: number;
  readonly #codes: Uint8Array;

  constructor(pair: MaskPair, bit: number) {
    this.#pair = pair;
    this.#bit = bit;
    this.#codes = new Uint8Array(pair.size[0] + 1);
  }

  /** Undefined if none is. The next call overwrites the codes. */
  read(y: number, z: number): Uint8Array | undefined {
    const { samples, rows, size } = this.#pair;
    const bit = this.#bit;
    const high = size[1] + 2;
    const wide = size[0] + 2;
    const row = z * high + y;
    const any = rows[row]! | rows[row + 1]! | rows[row + high]! | rows[row + high + 1]!;
    if ((any & bit) === 0) return undefined;
    const codes = this.#codes;
    const shift = bit >> 1;
    const a = row * wide;
    const b = a + wide;
    const c = a + high * wide;
    const d = c + wide;
    let left = 0;
    // The samples around the mask are empty.
    for (let x = 0; x < codes.length; x += 1) {
      const at = x + 1;
      const right =
        ((samples[a + at]! >> shift) & 1) |
        (((samples[b + at]! >> shift) & 1) << 1) |
        (((samples[c + at]! >> shift) & 1) << 2) |
        (((samples[d + at]! >> shift) & 1) << 3);
      codes[x] = left | (right << 4);
      left = right;
    }
    return codes;
  }
}

/**
 * The nearest of several places along a line, each with a squared distance of its own: the lower envelope of parabolas
 * (Felzenszwalb and Huttenlocher, Distance Transforms of Sampled Functions).
 */
class Envelope {
  readonly #stepMm: number;
  readonly #places: Int32Array;
  readonly #heights: Float64Array;
  /** From where on each place is the nearest. */
  readonly #starts: Float64Array;
  #count = 0;
  #at = 0;

  constructor(length: number, stepMm: number) {
    this.#stepMm = stepMm;
    this.#places = new Int32Array(length);
    this.#heights = new Float64Array(length);
    this.#starts = new Float64Array(length);
  }

  clear(): void {
    this.#count = 0;
  }

  /** Places come in ascending order. */
  add(place: number, squareMm: number): void {
    const position = place * this.#stepMm;
    const height = squareMm + position * position;
    let start = -Infinity;
    while (this.#count > 0) {
      const before = this.#count - 1;
      const beforeMm = this.#places[before]! * this.#stepMm;
      start = (height - this.#heights[before]!) / (2 * (position - beforeMm));
      if (start > this.#starts[before]!) break;
      this.#count = before;
      start = -Infinity;
    }
    this.#places[this.#count] = place;
    this.#heights[this.#count] = height;
    this.#starts[this.#count] = start;
    this.#count += 1;
  }

  begin(): void {
    this.#at = 0;
  }

  /** Places are asked for in ascending order. */
  sourceOf(place: number): number {
    const position = place * this.#stepMm;
    while (this.#at + 1 < this.#count && this.#starts[this.#at + 1]! < position) this.#at += 1;
    return this.#places[this.#at]!;
  }
}

/** Distances and areas of elements, as long as there are not too many. */
class KeptElements {
  readonly #most: number;
  #numbers = new Float64Array(2_048);
  #length = 0;
  isWhole = true;

  constructor(most: number) {
    this.#most = most;
  }

  add(mm: number, mm2: number): void {
    if (!this.isWhole) return;
    if (this.#length === 2 * this.#most) {
      this.isWhole = false;
      this.#numbers = new Float64Array(0);
      return;
    }
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(2 * this.#length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#length] = mm;
    this.#numbers[this.#length + 1] = mm2;
    this.#length += 2;
  }

  visit(visit: VisitElement): void {
    for (let at = 0; at < this.#length; at += 2) visit(this.#numbers[at]!, this.#numbers[at + 1]!);
  }
}

type Percentile = { readonly share: number; readonly area: number };

/** The smallest distance that a share of the area does not exceed. */
function findPercentile(visitAll: (visit: VisitElement) => void, { share, area }: Percentile): number {
  const goal = share * area;
  const digits = new Digits();
  const sums = new Float64Array(Digits.count);
  const smallest = new Float64Array(Digits.count);
  const largest = new Float64Array(Digits.count);
  let before = 0;
  for (;;) {
    sums.fill(0);
    smallest.fill(Infinity);
    largest.fill(-Infinity);
    visitAll((mm, mm2) => {
      const digit = digits.next(mm);
      if (digit < 0) return;
      sums[digit]! += mm2;
      if (mm < smallest[digit]!) smallest[digit] = mm;
      if (mm > largest[digit]!) largest[digit] = mm;
    });
    let chosen = 0;
    for (let digit = 0, sum = before; digit < Digits.count && sum < goal; digit += 1) {
      if (smallest[digit] === Infinity) continue;
      [before, chosen] = [sum, digit];
      sum += sums[digit]!;
    }
    if (smallest[chosen] === largest[chosen] || !digits.choose(chosen)) return smallest[chosen]!;
  }
}

/** Numbers that are not negative, in the order of their bits, 16 of which are a digit. The first ones are chosen one by one. */
class Digits {
  static readonly count = 65_536;
  readonly #number = new Float64Array(1);
  readonly #halves = new Uint16Array(this.#number.buffer);
  readonly #chosen: number[] = [];

  /** The digit after those that are chosen; -1 if the number has others. */
  next(number: number): number {
    this.#number[0] = number;
    const chosen = this.#chosen;
    for (let at = 0; at < chosen.length; at += 1) if (this.#halves[3 - at] !== chosen[at]) return -1;
    return this.#halves[3 - chosen.length]!;
  }

  /** Returns whether another digit follows. */
  choose(digit: number): boolean {
    return this.#chosen.push(digit) < this.#halves.length;
  }
}
