/** Two numbers per corner; the last corner is joined to the first. */
type Outline = ArrayLike<number>;

/**
 * What outlines enclose together by the even-odd rule, in the square of their unit. Undefined if that is too much work.
 *
 * The heights of all corners divide the plane into bands, in which edges are lines from top to bottom. Their order at the
 * top says which of them have the inside at their right, and two edges cross where their order at the bottom is another
 * one. Corners on edges and edges on edges need no rule of their own.
 */
export function evenOddArea(
  outlines: readonly Outline[],
  { mostSteps, mostCrossings = Infinity }: AreaLimits = OF_MARKS,
): number | undefined {
  const corners = outlines.reduce((sum, outline) => sum + Math.floor(outline.length / 2), 0);
  if (corners * CORNER_STEPS > mostSteps) return undefined;
  const steps = mostSteps - corners * CORNER_STEPS;
  const sweep = createSweep(sortEdges(outlines, corners), { mostSteps: steps, mostCrossings });
  let area = 0;
  for (let band = 0; band + 1 < sweep.rows.length; band += 1) {
    sweep.enter(band);
    area += sweep.cross(band);
    if (sweep.isOver()) return undefined;
  }
  return area;
}

export type AreaLimits = {
  /** A processor makes about a hundred million a second. */
  readonly mostSteps: number;
  readonly mostCrossings?: number;
};

/**
 * A page draws while it measures: these steps take some ten milliseconds. They are enough for all outlines of 10,000 corners
 * that people draw.
 */
const OF_MARKS: AreaLimits = { mostSteps: 4_000_000, mostCrossings: 10_000 };
/** Sorting a corner takes as long as an edge of so many bands, and a crossing as one of these. */
const CORNER_STEPS = 10;
const CROSSING_STEPS = 40;

/** Edges that are not horizontal, in the order of their upper ends. `rows` has the heights of all corners, ascending. */
type Edges = {
  readonly rows: Float64Array;
  readonly row: Int32Array;
  readonly endRow: Int32Array;
  readonly x: Float64Array;
  readonly endX: Float64Array;
};

function sortEdges(outlines: readonly Outline[], corners: number): Edges {
  const [xs, ys] = [new Float64Array(corners), new Float64Array(corners)];
  // Products of large coordinates would lose digits.
  const [originX, originY] = [outlines[0]?.[0] ?? 0, outlines[0]?.[1] ?? 0];
  let at = 0;
  for (const outline of outlines) {
    for (let n = 0; n + 1 < outline.length; n += 2, at += 1) {
      xs[at] = outline[n]! - originX;
      ys[at] = outline[n + 1]! - originY;
    }
  }
  const rows = ys.toSorted().filter((y, n, all) => n === 0 || y !== all[n - 1]);
  const rowOf = new Int32Array(corners);
  for (let n = 0; n < corners; n += 1) rowOf[n] = findRow(rows, ys[n]!);
  // Counted by their first row, so that each has its place among the others.
  const places = new Int32Array(rows.length + 1);
  eachEdge(outlines, rowOf, (upper) => (places[rowOf[upper]! + 1]! += 1));
  for (let n = 1; n < places.length; n += 1) places[n]! += places[n - 1]!;
  const count = places[rows.length] ?? 0;
  const [row, endRow] = [new Int32Array(count), new Int32Array(count)];
  const [x, endX] = [new Float64Array(count), new Float64Array(count)];
  eachEdge(outlines, rowOf, (upper, lower) => {
    const to = places[rowOf[upper]!]!;
    places[rowOf[upper]!] = to + 1;
    x[to] = xs[upper]!;
    endX[to] = xs[lower]!;
    row[to] = rowOf[upper]!;
    endRow[to] = rowOf[lower]!;
  });
  return { rows, row, endRow, x, endX };
}

function eachEdge(
  outlines: readonly Outline[],
  rowOf: Int32Array,
  visit: (upper: number, lower: number) => void,
): void {
  let start = 0;
  for (const outline of outlines) {
    const end = start + Math.floor(outline.length / 2);
    for (let n = start, before = end - 1; n < end; before = n, n += 1) {
      if (rowOf[before]! < rowOf[n]!) visit(before, n);
      else if (rowOf[before]! > rowOf[n]!) visit(n, before);
    }
    start = end;
  }
}

function findRow(rows: Float64Array, y: number): number {
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]! < y) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Crossing = { readonly edge: number; readonly share: number };

/** Goes through the bands from the top, with the edges of each one from left to right. */
function createSweep({ rows, row, endRow, x, endX }: Edges, { mostSteps, mostCrossings = Infinity }: AreaLimits) {
  const [top, bottom, slope] = [x.slice(), x.slice(), x.slice()];
  for (let n = 0; n < x.length; n += 1) slope[n] = (endX[n]! - x[n]!) / (rows[endRow[n]!]! - rows[row[n]!]!);
  /** Of the edges of a band: 1 where the inside ends, -1 where it begins. */
  const signs = new Int8Array(x.length);
  const order = new Int32Array(x.length);
  let [length, next, steps, crossed] = [0, 0, 0, 0];
  const isOver = () => steps > mostSteps || crossed > mostCrossings;
  return { rows, enter, cross, isOver };

  /** Takes the edges of a band. */
  function enter(band: number): void {
    let kept = 0;
    for (let n = 0; n < length; n += 1) {
      const edge = order[n]!;
      if (endRow[edge] === band) continue;
      order[kept] = edge;
      kept += 1;
      place(edge, band, bottom[edge]!);
    }
    for (; next < row.length && row[next] === band; next += 1, kept += 1) {
      order[kept] = next;
      place(next, band, x[next]!);
    }
    length = kept;
    steps += length;
    for (let n = 1; n < length; n += 1) {
      const edge = order[n]!;
      let to = n;
      for (; to > 0 && isBefore(edge, order[to - 1]!); to -= 1) order[to] = order[to - 1]!;
      order[to] = edge;
      steps += n - to;
    }
  }

  /** Where an edge is at the top and at the bottom of a band. At the top, it is where it was at the bottom of the one before. */
  function place(edge: number, band: number, at: number): void {
    top[edge] = at;
    const isLast = endRow[edge] === band + 1;
    bottom[edge] = isLast ? endX[edge]! : x[edge]! + slope[edge]! * (rows[band + 1]! - rows[row[edge]!]!);
  }

  /** Of edges that meet at the top, the bottom decides. */
  function isBefore(one: number, other: number): boolean {
    return top[one]! < top[other]! || (top[one] === top[other] && bottom[one]! < bottom[other]!);
  }

  /** The area inside a band. Then its edges are in the order in which they are at its bottom. */
  function cross(band: number): number {
    let doubled = 0;
    for (let n = 0; n < length; n += 1) {
      const edge = order[n]!;
      const sign = n % 2 === 0 ? -1 : 1;
      signs[edge] = sign;
      doubled += sign * (top[edge]! + bottom[edge]!);
    }
    const crossings = listCrossings();
    if (crossings !== undefined) doubled += changeAt(crossings);
    return (doubled / 2) * (rows[band + 1]! - rows[band]!);
  }

  function listCrossings(): Crossing[] | undefined {
    let crossings: Crossing[] | undefined;
    for (let n = 1; n < length && !isOver(); n += 1) {
      const edge = order[n]!;
      let to = n;
      for (; to > 0 && bottom[edge]! < bottom[order[to - 1]!]!; to -= 1) {
        const other = order[to - 1]!;
        const apart = top[edge]! - top[other]!;
        const share = apart / (apart + bottom[other]! - bottom[edge]!);
        (crossings ??= []).push({ edge, share }, { edge: other, share });
        order[to] = other;
        steps += CROSSING_STEPS;
        crossed += 1;
      }
      order[to] = edge;
    }
    return crossings;
  }

  /** Below each crossing, what was inside at an edge is outside, and the other way round. */
  function changeAt(crossings: Crossing[]): number {
    crossings.sort((a, b) => a.share - b.share);
    let change = 0;
    for (const { edge, share } of crossings) {
      const ofCrossing = top[edge]! + (bottom[edge]! - top[edge]!) * share;
      change -= 2 * signs[edge]! * (1 - share) * (ofCrossing + bottom[edge]!);
      signs[edge]! *= -1;
    }
    return change;
  }
}
