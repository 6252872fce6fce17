import type { Connectivity } from '../../../shared/contract/comparison.ts';
import { type MaskPair, TEST, TRUTH } from './maskPair.ts';

/** The connected components of two masks, and which of them the other mask has. */
export type ComponentCounts = {
  readonly truth: number;
  /** Of the truth, of which more than a part is in the test. */
  readonly found: number;
  readonly missed: number;
  readonly test: number;
  /** Of the test, of which no more than that part is in the truth. */
  readonly false: number;
};

/** A connected component: its samples, and the middle of its longest run of samples in a row. */
export type FoundComponent = {
  readonly samples: number;
  readonly column: number;
  readonly row: number;
  readonly slice: number;
};

export type CountedComponents = {
  readonly counts: ComponentCounts;
  /** The largest one that the test misses; undefined if it misses none. */
  readonly largestMissed: FoundComponent | undefined;
  readonly largestFalse: FoundComponent | undefined;
};

export type ComponentRule = {
  readonly connectivity: Connectivity;
  /** The part of the samples of a component that the other mask must exceed. */
  readonly overlap: number;
};

/** Pieces of one mask that are told apart while slices are joined; a mask with more is noise. */
export const MOST_COMPONENTS = 2 ** 22;

/** Undefined if a mask has too many pieces to be counted. */
export function countComponents(
  pair: MaskPair,
  { connectivity, overlap }: ComponentRule,
  throwIfCancelled: () => void = () => undefined,
): CountedComponents | undefined {
  const truth = findPieces(pair, { bit: TRUTH, connectivity, overlap }, throwIfCancelled);
  const test = truth && findPieces(pair, { bit: TEST, connectivity, overlap }, throwIfCancelled);
  if (truth === undefined || test === undefined) return undefined;
  return {
    counts: {
      truth: truth.count,
      found: truth.met,
      missed: truth.count - truth.met,
      test: test.count,
      false: test.count - test.met,
    },
    largestMissed: locate(truth.largest, pair),
    largestFalse: locate(test.largest, pair),
  };
}

function locate(
  { samples, at }: LargestPiece,
  { size: [columns, height] }: Pick<MaskPair, 'size'>,
): FoundComponent | undefined {
  if (samples === 0) return undefined;
  const [wide, high] = [columns + 2, height + 2];
  const line = Math.floor(at / wide);
  return { samples, column: (at % wide) - 1, row: (line % high) - 1, slice: Math.floor(line / high) - 1 };
}

type PieceRule = ComponentRule & { readonly bit: number };

/** Joins runs of samples in neighbouring rows. Only those of two slices are kept. */
function findPieces(
  { samples, rows, size: [columns, height, depth] }: MaskPair,
  { bit, connectivity, overlap }: PieceRule,
  throwIfCancelled: () => void,
): PieceSum | undefined {
  const wide = columns + 2;
  const high = height + 2;
  const pieces = new Pieces();
  let above = new SliceRuns(high, columns);
  let here = new SliceRuns(high, columns);
  for (let z = 1; z <= depth; z += 1) {
    throwIfCancelled();
    here.clear();
    for (let y = 1; y <= height; y += 1) {
      here.beginRow(y);
      if ((rows[z * high + y]! & bit) === 0) continue;
      const row = (z * high + y) * wide;
      for (let x = 1; x <= columns; x += 1) {
        if ((samples[row + x]! & bit) === 0) continue;
        const first = x;
        let shared = 0;
        do {
          if (samples[row + x] === (TRUTH | TEST)) shared += 1;
          x += 1;
        } while ((samples[row + x]! & bit) !== 0);
        let piece = here.join(pieces, { y: y - 1, first, last: x - 1, reach: connectivity === 6 ? 0 : 1 }, 0);
        piece = above.join(pieces, { y, first, last: x - 1, reach: connectivity === 6 ? 0 : 1 }, piece);
        if (connectivity !== 6) {
          const reach = connectivity === 26 ? 1 : 0;
          piece = above.join(pieces, { y: y - 1, first, last: x - 1, reach }, piece);
          piece = above.join(pieces, { y: y + 1, first, last: x - 1, reach }, piece);
        }
        if (piece === 0) piece = pieces.add();
        if (piece === 0) return undefined;
        pieces.count(piece, x - first, shared, row + first);
        here.add(first, x - 1, piece);
      }
    }
    here.end();
    [above, here] = [here, above];
  }
  return pieces.sum(overlap);
}

type Reach = { readonly y: number; readonly first: number; readonly last: number; readonly reach: number };

/** The runs of one slice, row by row. */
class SliceRuns {
  /** First and last column, and the piece of each run. */
  readonly #runs: Int32Array;
  /** Where the runs of each row begin. */
  readonly #starts: Int32Array;
  #length = 0;
  #row = 0;

  constructor(high: number, columns: number) {
    this.#runs = new Int32Array(3 * high * Math.ceil(columns / 2));
    this.#starts = new Int32Array(high + 1);
  }

  clear(): void {
    this.#length = 0;
    this.#row = 0;
    this.#starts.fill(0);
  }

  beginRow(y: number): void {
    while (this.#row < y) this.#starts[++this.#row] = this.#length;
  }

  add(first: number, last: number, piece: number): void {
    this.#runs[this.#length] = first;
    this.#runs[this.#length + 1] = last;
    this.#runs[this.#length + 2] = piece;
    this.#length += 3;
  }

  end(): void {
    this.#starts.fill(this.#length, this.#row + 1);
  }

  /** Joins the runs of a row that touch one in another row. Returns the piece, 0 for none. */
  join(pieces: Pieces, { y, first, last, reach }: Reach, piece: number): number {
    const runs = this.#runs;
    const end = this.#starts[y + 1]!;
    let at = this.#starts[y]!;
    // The first that ends at the run or after it: a row can have hundreds.
    for (let after = end; at < after;) {
      const middle = at + 3 * Math.floor((after - at) / 6);
      if (runs[middle + 1]! < first - reach) at = middle + 3;
      else after = middle;
    }
    let joined = piece;
    for (; at < end && runs[at]! <= last + reach; at += 3) joined = pieces.join(joined, runs[at + 2]!);
    return joined;
  }
}

/** The largest piece that the other mask does not have, and a sample of it; of 0 samples if there is none. */
type LargestPiece = { readonly samples: number; readonly at: number };
type PieceSum = { readonly count: number; readonly met: number; readonly largest: LargestPiece };

/** Pieces that turn out to be one are joined, from 1 on. */
class Pieces {
  #parents = new Int32Array(1_024);
  #sizes = new Float64Array(1_024);
  #shared = new Float64Array(1_024);
  /** The longest run of each, and its middle. */
  #runs = new Int32Array(1_024);
  #middles = new Float64Array(1_024);
  #length = 1;

  /** Returns 0 if there are too many. */
  add(): number {
    if (this.#length > MOST_COMPONENTS) return 0;
    if (this.#length === this.#parents.length) {
      this.#parents = grow(this.#parents, Int32Array);
      this.#sizes = grow(this.#sizes, Float64Array);
      this.#shared = grow(this.#shared, Float64Array);
      this.#runs = grow(this.#runs, Int32Array);
      this.#middles = grow(this.#middles, Float64Array);
    }
    this.#parents[this.#length] = this.#length;
    return this.#length++;
  }

  /** Adds a run of samples that begins at `first`. */
  count(piece: number, samples: number, shared: number, first: number): void {
    this.#sizes[piece]! += samples;
    this.#shared[piece]! += shared;
    if (samples <= this.#runs[piece]!) return;
    this.#runs[piece] = samples;
    this.#middles[piece] = first + (samples >> 1);
  }

  join(a: number, b: number): number {
    const [first, second] = [this.#find(a), this.#find(b)];
    if (first === 0 || first === second) return second;
    const [lower, upper] = first < second ? [first, second] : [second, first];
    this.#parents[upper] = lower;
    return lower;
  }

  #find(piece: number): number {
    const parents = this.#parents;
    let root = piece;
    while (parents[root] !== root) {
      parents[root] = parents[parents[root]!]!;
      root = parents[root]!;
    }
    return root;
  }

  sum(overlap: number): PieceSum {
    let [count, met] = [0, 0];
    let largest: LargestPiece = { samples: 0, at: 0 };
    // A piece is joined to one before it, so that the last come first.
    for (let piece = this.#length - 1; piece > 0; piece -= 1) {
      const parent = this.#parents[piece]!;
      if (parent === piece) {
        count += 1;
        const samples = this.#sizes[piece]!;
        if (this.#shared[piece]! > overlap * samples) met += 1;
        else if (samples > largest.samples) largest = { samples, at: this.#middles[piece]! };
      } else {
        this.#sizes[parent]! += this.#sizes[piece]!;
        this.#shared[parent]! += this.#shared[piece]!;
        if (this.#runs[piece]! > this.#runs[parent]!) {
          this.#runs[parent] = this.#runs[piece]!;
          this.#middles[parent] = this.#middles[piece]!;
        }
      }
    }
    return { count, met, largest };
  }
}

function grow<Numbers extends Int32Array | Float64Array>(
  numbers: Numbers,
  Type: new (length: number) => Numbers,
): Numbers {
  const larger = new Type(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
