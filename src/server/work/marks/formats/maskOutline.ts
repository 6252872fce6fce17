import { addTo } from '../../../../shared/addTo.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { MASK_TILE, MASK_TILES_ACROSS, type MarkMask, MOST_MARK_SLICES } from '../../../../shared/contract/marks.ts';
import { visitSpans } from '../../../../shared/maskRuns.ts';
import { listSlices, type PackedSlices } from '../markContent.ts';

export type OutlinePoint = [x: number, y: number];
/** Closed: the last point is the first. */
type Ring = OutlinePoint[];
/** An outline and its holes. */
type Polygon = Ring[];

/** Of one row of pixels: start and end of each run inside, ascending, not touching each other. */
type Row = readonly number[];

/** The outlines of a mask on a slide, along the edges of its pixels, which are `step` pixels of the slide wide. */
export function traceMask(slices: PackedSlices, step: number): readonly Polygon[] {
  const rows = listRows(slices);
  const { rings, ringAt } = linkEdges(rows);
  const polygons = new Map<number, Polygon>();
  /** The outer ring of the area around each hole. */
  const outerOf = new Map<number, number>();
  // From the top, so that what lies above a hole is known.
  const order = rings.map((ring, n) => ({ ring, n, top: topOf(ring) })).toSorted((a, b) => a.top[1] - b.top[1]);
  for (const { ring, n, top } of order) {
    const scaled = ring.map(([x, y]): OutlinePoint => [x * step, y * step]);
    if (areaOf(ring) > 0) {
      polygons.set(n, [scaled]);
      continue;
    }
    // The pixel above the upper edge of a hole is inside, and the run that has it begins at the ring around the hole, or
    // at another hole of the same area.
    const [x, y] = top;
    const above = rows.get(y - 1) ?? [];
    const start = above.findLast((edge, at) => at % 2 === 0 && edge <= x) ?? x;
    const beside = ringAt.get(edgeKey(start, y - 1)) ?? n;
    const outer = outerOf.get(beside) ?? beside;
    outerOf.set(n, outer);
    polygons.get(outer)?.push(scaled);
  }
  return [...polygons.values()];
}

/** The runs of each row that has any, over all tiles. */
function listRows(slices: PackedSlices): ReadonlyMap<number, Row> {
  const found = new Map<number, [number, number][]>();
  for (const { rectangle, runs } of listSlices(slices)) {
    const [left = 0, top = 0, width = 1] = rectangle;
    visitSpans({ left, top, width, runs }, (row, from, to) => {
      const spans = found.get(row) ?? [];
      found.set(row, spans);
      spans.push([from, to]);
    });
  }
  return new Map(Array.from(found, ([y, spans]) => [y, joinSpans(spans)]));
}

function joinSpans(spans: [number, number][]): Row {
  const row: number[] = [];
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    if (row.length > 0 && row.at(-1) === from) row[row.length - 1] = to;
    else row.push(from, to);
  }
  return row;
}

/** Names a corner of pixels, and the edge of a pixel that goes down from it. No slide has so many columns. */
function edgeKey(x: number, y: number): number {
  return y * 2 ** 26 + x;
}

/**
 * Follows the edges between inside and outside, with the inside at their right, and joins those on one line. Where two
 * pixels touch at a corner only, each keeps its own outline.
 */
function linkEdges(rows: ReadonlyMap<number, Row>) {
  /** From each corner, the corners that its edges lead to. */
  const next = new Map<number, number[]>();
  const add = (from: number, to: number) => {
    addTo(next, from, to);
  };
  for (const [y, row] of rows) {
    for (const [at, x] of row.entries()) {
      if (at % 2 === 0) add(edgeKey(x, y + 1), edgeKey(x, y));
      else add(edgeKey(x, y), edgeKey(x, y + 1));
    }
  }
  for (const y of new Set([...rows.keys()].flatMap((row) => [row, row + 1]))) {
    for (const [from, to, isBelow] of listDifferences(rows.get(y - 1) ?? [], rows.get(y) ?? [])) {
      if (isBelow) add(edgeKey(from, y), edgeKey(to, y));
      else add(edgeKey(to, y), edgeKey(from, y));
    }
  }
  const rings: Ring[] = [];
  /** The ring of the edge at the left of each run. */
  const ringAt = new Map<number, number>();
  for (const start of next.keys()) {
    while ((next.get(start)?.length ?? 0) > 0) rings.push(follow(start, next, ringAt, rings.length));
  }
  return { rings, ringAt };
}

function follow(start: number, next: Map<number, number[]>, ringAt: Map<number, number>, number: number): Ring {
  const ring: Ring = [];
  let [from, at] = [-1, start];
  do {
    const choices = next.get(at) ?? [];
    const to = choices.length === 1 ? choices[0]! : choices.find((one) => turnsRight(from, at, one))!;
    choices.splice(choices.indexOf(to), 1);
    const point = cornerOf(at);
    // An edge that goes up is at the left of a run, which it names by its upper end.
    if (cornerOf(to)[0] === point[0] && to < at) ringAt.set(to, number);
    const [before, last] = [ring.at(-2), ring.at(-1)];
    if (before !== undefined && last !== undefined && isOnLine(before, last, point)) ring[ring.length - 1] = point;
    else ring.push(point);
    from = at;
    at = to;
  } while (at !== start);
  // The first corner may lie within an edge.
  if (ring.length > 2 && isOnLine(ring.at(-2)!, ring.at(-1)!, ring[0]!)) ring.pop();
  if (ring.length > 2 && isOnLine(ring.at(-1)!, ring[0]!, ring[1]!)) ring.shift();
  return [...ring, ring[0]!];
}

function cornerOf(key: number): OutlinePoint {
  return [key % 2 ** 26, Math.floor(key / 2 ** 26)];
}

function isOnLine([ax, ay]: OutlinePoint, [bx, by]: OutlinePoint, [cx, cy]: OutlinePoint): boolean {
  return (ax === bx && bx === cx) || (ay === by && by === cy);
}

/** With y pointing down. At the start of a ring any edge will do. */
function turnsRight(from: number, at: number, to: number): boolean {
  if (from < 0) return true;
  const [[ax, ay], [bx, by], [cx, cy]] = [cornerOf(from), cornerOf(at), cornerOf(to)];
  return (bx - ax) * (cy - by) - (by - ay) * (cx - bx) > 0;
}

/** Where one of two rows is inside and the other is not; `isBelow` if that is the lower one. */
function* listDifferences(above: Row, below: Row): Generator<readonly [from: number, to: number, isBelow: boolean]> {
  let [a, b, from] = [0, 0, 0];
  while (a < above.length || b < below.length) {
    const x = Math.min(above[a] ?? Infinity, below[b] ?? Infinity);
    if (a % 2 !== b % 2) yield [from, x, b % 2 === 1];
    if (above[a] === x) a += 1;
    if (below[b] === x) b += 1;
    from = x;
  }
}

/** The leftmost of its highest corners. */
function topOf(ring: Ring): OutlinePoint {
  let [top] = ring;
  for (const point of ring) {
    if (point[1] < top![1] || (point[1] === top![1] && point[0] < top![0])) top = point;
  }
  return top!;
}

/** Positive if the inside is at the right, with y pointing down. */
function areaOf(ring: Ring): number {
  let sum = 0;
  for (const [n, [x, y]] of ring.entries()) {
    const [nextX, nextY] = ring[(n + 1) % ring.length]!;
    sum += x * nextY - nextX * y;
  }
  return sum / 2;
}

export type MaskTileRuns = { readonly tile: number; readonly mask: MarkMask };

/** Places at which rows of pixels cross outlines, of one mask. */
const MOST_CROSSINGS = 4_000_000;

/**
 * The tiles of the mask whose pixels have their centers inside of rings, by the even-odd rule. Of rings of `traceMask`,
 * the mask that they are of. Throws `invalid_mark` if the mask is too large.
 */
export function fillRings(rings: readonly (readonly OutlinePoint[])[], step: number): readonly MaskTileRuns[] {
  const crossings = new Map<number, number[]>();
  let count = 0;
  const farthest = MASK_TILES_ACROSS * MASK_TILE * step;
  for (const ring of rings) {
    for (const [n, [ax, ay]] of ring.entries()) {
      const [bx, by] = ring[(n + 1) % ring.length]!;
      if (!(ax >= 0 && ay >= 0 && ax <= farthest && ay <= farthest)) {
        throw new ViewerError('invalid_mark', `geometry: ${ax}, ${ay} is outside of every slide`);
      }
      const [first, last] = [Math.min(ay, by), Math.max(ay, by)].map((y) => Math.ceil(y / step - 0.5));
      count += last! - first!;
      if (count > MOST_CROSSINGS)
        throw new ViewerError('invalid_mark', 'geometry: the outline of the mask is too long');
      for (let row = first!; row < last!; row += 1) {
        const x = ax + (((row + 0.5) * step - ay) / (by - ay)) * (bx - ax);
        addTo(crossings, row, x);
      }
    }
  }
  /** Row, start and end of each run: a large mask has millions. */
  const tiles = new Map<number, number[]>();
  for (const row of [...crossings.keys()].toSorted((a, b) => a - b)) {
    const edges = crossings.get(row)!.toSorted((a, b) => a - b);
    const columns = edges.map((x) => Math.ceil(x / step - 0.5));
    for (const [from, to] of pairs(columns)) addSpan(tiles, row, from, to);
  }
  return Array.from(tiles, ([tile, spans]) => ({ tile, mask: packSpans(spans) }));
}

/** Of the columns at which a row crosses outlines, those inside. Runs that touch are one. */
function pairs(columns: readonly number[]): readonly [from: number, to: number][] {
  const found: [number, number][] = [];
  for (let n = 0; n + 1 < columns.length; n += 2) {
    const [from, to] = [columns[n]!, columns[n + 1]!];
    const last = found.at(-1);
    if (last !== undefined && last[1] === from) last[1] = to;
    else if (to > from) found.push([from, to]);
  }
  return found;
}

function addSpan(tiles: Map<number, number[]>, row: number, from: number, to: number): void {
  for (let start = from; start < to;) {
    const column = Math.floor(start / MASK_TILE);
    const end = Math.min(to, (column + 1) * MASK_TILE);
    const tile = Math.floor(row / MASK_TILE) * MASK_TILES_ACROSS + column;
    const spans = tiles.get(tile);
    if (spans !== undefined) spans.push(row, start, end);
    else if (tiles.size < MOST_MARK_SLICES) tiles.set(tile, [row, start, end]);
    else throw new ViewerError('invalid_mark', `geometry: a mask has at most ${MOST_MARK_SLICES} tiles`);
    start = end;
  }
}

/** In the form of the contract, within the smallest rectangle. The runs of pixels are in the order of rows. */
function packSpans(spans: readonly number[]): MarkMask {
  let [left, right] = [Infinity, 0];
  for (let n = 0; n < spans.length; n += 3) {
    left = Math.min(left, spans[n + 1]!);
    right = Math.max(right, spans[n + 2]!);
  }
  const [top, bottom, width] = [spans[0]!, spans.at(-3)! + 1, right - left];
  const runs: number[] = [];
  let at = 0;
  for (let n = 0; n < spans.length; n += 3) {
    const [row, from, to] = [spans[n]!, spans[n + 1]!, spans[n + 2]!];
    const start = (row - top) * width + from - left;
    if (start === at && runs.length > 0) runs[runs.length - 1]! += to - from;
    else runs.push(start - at, to - from);
    at = start + to - from;
  }
  const rest = width * (bottom - top) - at;
  return { left, top, width, height: bottom - top, runs: rest > 0 ? [...runs, rest] : runs };
}
