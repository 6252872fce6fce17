import { addTo } from './addTo.ts';

/** Two numbers per corner; the last corner is joined to the first. */
type Outline = ArrayLike<number>;
/** Corners without a repeated one; no edge touches another. Outer rings and holes run in opposite directions. */
export type SimpleRing = readonly (readonly [x: number, y: number])[];
/** An outer ring, then its holes. */
export type SimplePolygon = readonly SimpleRing[];

/**
 * What a polygon encloses by the even-odd rule, as polygons whose rings neither cross nor touch themselves. One that is
 * simple is returned as it is. Undefined if its edges come too close to each other too often to compare them all.
 */
export function evenOddRings(outline: Outline): readonly SimplePolygon[] | undefined {
  const grid = gridOf(outline);
  const corners = cornersOf(outline);
  if (corners.length < 3 || grid === undefined) return [];
  const work = { left: MOST_STEPS };
  const drawn: Edge[] = corners.map((corner, n) => [corner, corners[(n + 1) % corners.length]!]);
  if (isSimple(drawn, grid, work)) return work.left < 0 ? undefined : [[corners]];
  const snapped = drawn.map(([a, b]): Edge => [snap(a, grid), snap(b, grid)]);
  const edges = separate(snapped.filter(hasLength), grid, work);
  const rings = edges && traceRings(edges, work);
  return rings && toPolygons(rings, work);
}

type Corner = readonly [x: number, y: number];
type Edge = readonly [from: Corner, to: Corner];
/** Corners that are computed lie on multiples of `step`, so that equal ones are equal numbers. */
type Grid = { readonly step: number; readonly left: number; readonly top: number; readonly size: number };
type Work = { left: number };

/** Comparisons of two edges: some ten milliseconds. Outlines of 100,000 corners that do not cross take a quarter of it. */
const MOST_STEPS = 4_000_000;
/** A split takes as long as so many comparisons, and so does an entry of a cell. */
const SPLIT_STEPS = 100;
const SORT_STEPS = 8;
/** Splitting moves edges by less than a step of the grid, after which others may touch. */
const MOST_ROUNDS = 12;
/**
 * Coordinates have 40 bits, and the products of two of them 80. Rounded to 53 bits, they place a corner within 2⁻¹³ steps
 * of an edge, so that what is farther than a step is never mistaken for being on it.
 */
const GRID_BITS = 40;

function gridOf(outline: Outline): Grid | undefined {
  let [left, top, right, bottom, largest] = [Infinity, Infinity, -Infinity, -Infinity, 0];
  for (let n = 0; n + 1 < outline.length; n += 2) {
    const [x, y] = [outline[n]!, outline[n + 1]!];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    largest = Math.max(largest, Math.abs(x), Math.abs(y));
  }
  const size = Math.max(right - left, bottom - top);
  if (!Number.isFinite(largest) || !(size > 0)) return undefined;
  return { step: 2 ** (Math.ceil(Math.log2(largest)) - GRID_BITS), left, top, size };
}

/** Without corners that repeat the one before. */
function cornersOf(outline: Outline): Corner[] {
  const corners: Corner[] = [];
  for (let n = 0; n + 1 < outline.length; n += 2) {
    const [before, corner] = [corners.at(-1), [outline[n]!, outline[n + 1]!] as const];
    if (before === undefined || !isSame(before, corner)) corners.push(corner);
  }
  while (corners.length > 1 && isSame(corners[0]!, corners.at(-1)!)) corners.pop();
  return corners;
}

function isSame(a: Corner, b: Corner): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

function hasLength([a, b]: Edge): boolean {
  return !isSame(a, b);
}

function snap([x, y]: Corner, { step }: Grid): Corner {
  return [Math.round(x / step) * step, Math.round(y / step) * step];
}

/** Splits edges until they meet only at their ends, and drops those that lie on each other twice: they bound nothing. */
function separate(edges: readonly Edge[], grid: Grid, work: Work): readonly Edge[] | undefined {
  let parts = dropPairs(edges);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const split = splitEdges(parts, grid, work);
    if (work.left < 0) return undefined;
    if (split === undefined) return parts;
    parts = dropPairs(split);
  }
  return undefined;
}

function dropPairs(edges: readonly Edge[]): readonly Edge[] {
  const odd = new Map<string, Edge>();
  for (const edge of edges) {
    const [a, b] = edge;
    const isForward = a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
    const key = isForward ? `${a.join()} ${b.join()}` : `${b.join()} ${a.join()}`;
    if (!odd.delete(key)) odd.set(key, edge);
  }
  return [...odd.values()];
}

/** Splits edges where others cross or touch them. Undefined if none was split. */
function splitEdges(edges: readonly Edge[], grid: Grid, work: Work): readonly Edge[] | undefined {
  const splits = new Map<number, Corner[]>();
  const addSplits = (edge: number, at: readonly Corner[]) => {
    const known = splits.get(edge);
    if (known !== undefined) known.push(...at);
    else if (at.length > 0) splits.set(edge, [...at]);
    work.left -= at.length * SPLIT_STEPS;
  };
  for (const { one, other, onFirst, onSecond } of listMeetings(edges, grid, work)) {
    addSplits(one, onFirst);
    addSplits(other, onSecond);
  }
  return splits.size === 0 ? undefined : edges.flatMap((edge, n) => splitAt(edge, splits.get(n) ?? []));
}

function isSimple(edges: readonly Edge[], grid: Grid, work: Work): boolean {
  const last = edges.length - 1;
  for (const { one, other, ends, onFirst, onSecond } of listMeetings(edges, grid, work)) {
    const distance = Math.abs(one - other);
    const areNeighbours = distance === 1 || distance === last;
    if (ends > (areNeighbours ? 1 : 0) || onFirst.length + onSecond.length > 0) return false;
  }
  return true;
}

/** Pairs of edges that have something in common, some of them repeatedly. Ends when the work is used up. */
function* listMeetings(
  edges: readonly Edge[],
  grid: Grid,
  work: Work,
): Generator<Meeting & { readonly one: number; readonly other: number }> {
  for (const members of sortIntoCells(edges, grid, work).values()) {
    for (let i = 1; i < members.length; i += 1) {
      work.left -= i;
      if (work.left < 0) return;
      for (let j = 0; j < i; j += 1) {
        const [one, other] = [members[i]!, members[j]!];
        const [e, f] = [edges[one]!, edges[other]!];
        if (areApart(e, f, grid.step)) continue;
        const meeting = meetingOf(e, f, grid);
        if (meeting.ends + meeting.onFirst.length + meeting.onSecond.length > 0) yield { one, other, ...meeting };
      }
    }
  }
}

function splitAt([a, b]: Edge, at: readonly Corner[]): readonly Edge[] {
  const along = ([x, y]: Corner) => (x - a[0]) * (b[0] - a[0]) + (y - a[1]) * (b[1] - a[1]);
  const all = [a, ...at.toSorted((one, other) => along(one) - along(other)), b];
  return all
    .slice(1)
    .map((corner, n): Edge => [all[n]!, corner])
    .filter(hasLength);
}

/** The edges that pass through each cell of a net with about as many cells as there are edges, as far as work is left. */
function sortIntoCells(edges: readonly Edge[], { left, top, size, step }: Grid, work: Work) {
  const across = Math.max(1, Math.ceil(Math.sqrt(edges.length)));
  const width = size / across;
  const cellOf = (distance: number) => Math.min(across - 1, Math.max(0, Math.floor(distance / width)));
  const cells = new Map<number, number[]>();
  for (const [n, [a, b]] of edges.entries()) {
    const [[ux, uy], [lx, ly]] = a[1] <= b[1] ? [a, b] : [b, a];
    const [first, end] = [cellOf(uy - top - step), cellOf(ly - top + step)];
    const xAt = (y: number) => (ly === uy ? ux : ux + ((lx - ux) * (y - uy)) / (ly - uy));
    for (let row = first; row <= end; row += 1) {
      const from = row === first || ly === uy ? ux : xAt(top + row * width - step);
      const to = row === end || ly === uy ? lx : xAt(top + (row + 1) * width + step);
      const [low, high] = [Math.min(from, to), Math.max(from, to)];
      const margin = 2 * step + (high - low) * 1e-9;
      for (let column = cellOf(low - left - margin); column <= cellOf(high - left + margin); column += 1) {
        const key = row * across + column;
        addTo(cells, key, n);
        work.left -= SORT_STEPS;
      }
      if (work.left < 0) return cells;
    }
  }
  return cells;
}

function areApart([a, b]: Edge, [c, d]: Edge, step: number): boolean {
  return (
    Math.max(a[0], b[0]) + step < Math.min(c[0], d[0]) ||
    Math.max(c[0], d[0]) + step < Math.min(a[0], b[0]) ||
    Math.max(a[1], b[1]) + step < Math.min(c[1], d[1]) ||
    Math.max(c[1], d[1]) + step < Math.min(a[1], b[1])
  );
}

type Meeting = { readonly ends: number; readonly onFirst: readonly Corner[]; readonly onSecond: readonly Corner[] };

/** How many ends two edges have in common, and where each of them must be split. */
function meetingOf(e: Edge, f: Edge, grid: Grid): Meeting {
  const onFirst = f.filter((corner) => isWithin(corner, e, grid.step));
  const onSecond = e.filter((corner) => isWithin(corner, f, grid.step));
  const ends = e.filter((corner) => f.some((one) => isSame(one, corner))).length;
  if (ends > 0 || onFirst.length > 0 || onSecond.length > 0) return { ends, onFirst, onSecond };
  const [[a, b], [c, d]] = [e, f];
  const [before, after] = [sideOf(a, b, c), sideOf(a, b, d)];
  if (before > 0 === after > 0 || sideOf(c, d, a) > 0 === sideOf(c, d, b) > 0) return { ends, onFirst, onSecond };
  const share = before / (before - after);
  const crossing = snap([c[0] + (d[0] - c[0]) * share, c[1] + (d[1] - c[1]) * share], grid);
  const isEnd = (corner: Corner) => isSame(corner, crossing);
  return { ends, onFirst: e.some(isEnd) ? [] : [crossing], onSecond: f.some(isEnd) ? [] : [crossing] };
}

function sideOf(a: Corner, b: Corner, point: Corner): number {
  return (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]);
}

/** Whether a corner lies on an edge, within a step of the grid, and is none of its ends. */
function isWithin(corner: Corner, [a, b]: Edge, step: number): boolean {
  if (isSame(corner, a) || isSame(corner, b)) return false;
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const along = (corner[0] - a[0]) * dx + (corner[1] - a[1]) * dy;
  const length = Math.hypot(dx, dy);
  if (along <= 0 || along >= length ** 2) return false;
  return Math.abs(sideOf(a, b, corner)) <= step * length;
}

/** Rings around the inside, each without a corner that it passes twice. Every edge separates inside and outside. */
function traceRings(edges: readonly Edge[], work: Work): readonly SimpleRing[] | undefined {
  const corners: Corner[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (corner: Corner): number => {
    const key = corner.join();
    const number = numbers.get(key) ?? corners.push(corner) - 1;
    numbers.set(key, number);
    return number;
  };
  const spokes: { to: number; angle: number }[][] = [];
  const ends = edges.map(([a, b]) => [numberOf(a), numberOf(b)] as const);
  for (const [a, b] of ends) {
    const [[ax, ay], [bx, by]] = [corners[a]!, corners[b]!];
    (spokes[a] ??= []).push({ to: b, angle: Math.atan2(by - ay, bx - ax) });
    (spokes[b] ??= []).push({ to: a, angle: Math.atan2(ay - by, ax - bx) });
  }
  for (const around of spokes) around.sort((one, other) => one.angle - other.angle);
  const inward = directEdges({ corners, spokes, ends }, work);
  if (inward === undefined) return undefined;
  const rings: SimpleRing[] = [];
  const used = new Set<string>();
  for (const [a, b] of ends) {
    const [from, to] = inward.has(`${a} ${b}`) ? [a, b] : [b, a];
    if (used.has(`${from} ${to}`)) continue;
    rings.push(...followFace(from, to, { corners, spokes, used }));
  }
  return rings;
}

type Spokes = readonly { readonly to: number; readonly angle: number }[][];

/**
 * The directions of edges in which the inside is at their left. Around each corner, inside and outside alternate; what is
 * at the left of the leftmost corner of a connected part is known from the edges of the others.
 */
function directEdges(
  {
    corners,
    spokes,
    ends,
  }: {
    readonly corners: readonly Corner[];
    readonly spokes: Spokes;
    readonly ends: readonly (readonly [number, number])[];
  },
  work: Work,
): ReadonlySet<string> | undefined {
  const inward = new Set<string>();
  const isSeen = new Uint8Array(corners.length);
  const order = corners
    .map((_, n) => n)
    .toSorted((a, b) => corners[a]![0] - corners[b]![0] || corners[a]![1] - corners[b]![1]);
  for (const start of order) {
    if (isSeen[start] === 1) continue;
    // An outline that goes back on its own edges may leave very many parts.
    work.left -= ends.length;
    if (work.left < 0) return undefined;
    // The direction to the left, ±π, is before the first of its edges. Of the others only those of parts to the left count.
    const isInside = countLeftOf(corners[start]!, corners, ends) % 2 === 1;
    const waiting: { at: number; isFirstInward: boolean }[] = [{ at: start, isFirstInward: !isInside }];
    isSeen[start] = 1;
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const around = spokes[next.at] ?? [];
      for (const [n, { to }] of around.entries()) {
        const isInward = (n % 2 === 0) === next.isFirstInward;
        if (isInward) inward.add(`${next.at} ${to}`);
        else inward.add(`${to} ${next.at}`);
        if (isSeen[to] === 1) continue;
        isSeen[to] = 1;
        const back = (spokes[to] ?? []).findIndex((one) => one.to === next.at);
        // Seen from its other end, an edge with the inside at its left has it at its right.
        waiting.push({ at: to, isFirstInward: (back % 2 === 0) !== isInward });
      }
    }
  }
  return inward;
}

/** How many edges a line from a corner to the left crosses. */
function countLeftOf([x, y]: Corner, corners: readonly Corner[], ends: readonly (readonly [number, number])[]): number {
  let count = 0;
  for (const [a, b] of ends) {
    const [[ax, ay], [bx, by]] = [corners[a]!, corners[b]!];
    // Edges of the corner itself begin there, whatever rounding says.
    if (ay <= y === by <= y || Math.min(ax, bx) >= x) continue;
    if (ax + ((y - ay) * (bx - ax)) / (by - ay) < x) count += 1;
  }
  return count;
}

type Graph = { readonly corners: readonly Corner[]; readonly spokes: Spokes; readonly used: Set<string> };

/** Along the boundary of what is at the left of an edge. Where it comes back to a corner, a ring is complete. */
function followFace(from: number, to: number, { corners, spokes, used }: Graph): readonly SimpleRing[] {
  const rings: SimpleRing[] = [];
  const path: number[] = [];
  const placeOf = new Map<number, number>();
  let [at, next] = [from, to];
  while (!used.has(`${at} ${next}`)) {
    used.add(`${at} ${next}`);
    const known = placeOf.get(at);
    if (known !== undefined) rings.push(cutRing(known));
    placeOf.set(at, path.length);
    path.push(at);
    const around = spokes[next] ?? [];
    const back = around.findIndex((one) => one.to === at);
    // The edge before it around the corner, clockwise, bounds the same part of the inside.
    const after = around[(back - 1 + around.length) % around.length]!;
    [at, next] = [next, after.to];
  }
  if (path.length > 0) rings.push(cutRing(placeOf.get(at) ?? 0));
  return rings;

  function cutRing(start: number): SimpleRing {
    const ring = path.splice(start);
    for (const corner of ring) placeOf.delete(corner);
    return ring.map((corner) => corners[corner]!);
  }
}

/** Holes with the smallest ring around them. */
function toPolygons(rings: readonly SimpleRing[], work: Work): readonly SimplePolygon[] | undefined {
  const outer = rings.filter((ring) => areaOfRing(ring) > 0).toSorted((a, b) => areaOfRing(a) - areaOfRing(b));
  const polygons = outer.map((ring) => [ring]);
  for (const hole of rings.filter((ring) => areaOfRing(ring) < 0)) {
    const [a, b] = longestEdge(hole);
    // No other edge passes through the middle of an edge.
    const middle: Corner = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    work.left -= outer.length + hole.length;
    const around = outer.findIndex((ring) => {
      work.left -= ring.length;
      return surrounds(ring, middle);
    });
    if (work.left < 0) return undefined;
    polygons[around]?.push(hole);
  }
  return polygons;
}

function longestEdge(ring: SimpleRing): Edge {
  let longest: Edge = [ring[0]!, ring[1]!];
  const lengthOf = ([a, b]: Edge) => Math.hypot(b[0] - a[0], b[1] - a[1]);
  for (const [n, corner] of ring.entries()) {
    const edge: Edge = [corner, ring[(n + 1) % ring.length]!];
    if (lengthOf(edge) > lengthOf(longest)) longest = edge;
  }
  return longest;
}

function surrounds(ring: SimpleRing, [x, y]: Corner): boolean {
  let isInside = false;
  for (const [n, [ax, ay]] of ring.entries()) {
    const [bx, by] = ring[(n + 1) % ring.length]!;
    if (ay <= y !== by <= y && ax + ((y - ay) * (bx - ax)) / (by - ay) < x) isInside = !isInside;
  }
  return isInside;
}

/** Its sign tells the direction. From a corner, because products of large coordinates would lose digits. */
function areaOfRing(ring: SimpleRing): number {
  const [[x0, y0] = [0, 0]] = ring;
  let sum = 0;
  for (const [n, [ax, ay]] of ring.entries()) {
    const [bx, by] = ring[(n + 1) % ring.length]!;
    sum += (ax - x0) * (by - y0) - (bx - x0) * (ay - y0);
  }
  return sum / 2;
}
