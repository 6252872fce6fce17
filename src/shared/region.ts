type Point = { readonly x: number; readonly y: number };
type Size = { readonly width: number; readonly height: number };

/** A part of an image, in image pixels: pixel (i, j) covers [i, i+1) by [j, j+1). */
export type Region =
  /** Between two opposite corners. */
  | { readonly shape: 'rectangle' | 'ellipse'; readonly from: Point; readonly to: Point }
  /** `from` and `to` are the corners of the smallest rectangle around it. */
  | { readonly shape: 'polygon'; readonly from: Point; readonly to: Point; readonly corners: readonly Point[] };

type ConvexRegion = Extract<Region, { shape: 'rectangle' | 'ellipse' }>;

/** `end` is exclusive. */
export type Span = { readonly first: number; readonly end: number };

export function polygonRegion(corners: readonly Point[]): Region {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of corners) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return { shape: 'polygon', from: { x: left, y: top }, to: { x: right, y: bottom }, corners };
}

/** The region in another grid; `toOther` must keep the directions of rows and columns. */
export function mapRegion(region: Region, toOther: (point: Point) => Point): Region {
  const [from, to] = [toOther(region.from), toOther(region.to)];
  if (region.shape !== 'polygon') return { shape: region.shape, from, to };
  return { shape: 'polygon', from, to, corners: region.corners.map(toOther) };
}

/** A pixel is in a region if its center is inside the shape or on its outline. */
export function containsCentre(region: ConvexRegion, column: number, row: number): boolean {
  const { shape, from, to } = region;
  const [x, y] = [column + 0.5, row + 0.5];
  if (shape === 'rectangle') return isBetween(x, from.x, to.x) && isBetween(y, from.y, to.y);
  const across = (x - (from.x + to.x) / 2) / ((to.x - from.x) / 2);
  const down = (y - (from.y + to.y) / 2) / ((to.y - from.y) / 2);
  return across ** 2 + down ** 2 <= 1;
}

/** The rows that can have pixels in the region. */
export function rowsOf({ from, to }: Region, { height }: Size): Span {
  return spanBetween(from.y, to.y, height);
}

/** The pixels of a row that are in the region, from left to right. No two spans have a pixel in common. */
export function spansOf(region: Region, row: number, size: Size): readonly Span[] {
  return region.shape === 'polygon' ? polygonSpans(region.corners, row, size) : [columnsOf(region, row, size)];
}

/** The pixels of a row that are in a region without dents. */
export function columnsOf(region: ConvexRegion, row: number, { width }: Size): Span {
  const reach = region.shape === 'rectangle' ? 1 : halfWidthAt(region, row);
  const middle = (region.from.x + region.to.x) / 2;
  const half = (Math.abs(region.to.x - region.from.x) / 2) * reach;
  let { first, end } = spanBetween(middle - half, middle + half, width);
  // The square root is rounded, so the pixels at both ends are tested individually.
  if (first > 0 && containsCentre(region, first - 1, row)) first -= 1;
  else if (first < end && !containsCentre(region, first, row)) first += 1;
  if (end < width && containsCentre(region, end, row)) end += 1;
  else if (end > first && !containsCentre(region, end - 1, row)) end -= 1;
  return { first, end };
}

/** Half width of an ellipse at the middle of a row, relative to its largest half width. */
function halfWidthAt({ from, to }: ConvexRegion, row: number): number {
  const down = (row + 0.5 - (from.y + to.y) / 2) / ((to.y - from.y) / 2);
  return Math.sqrt(Math.max(0, 1 - down ** 2));
}

/**
 * By the even-odd rule: where an outline crosses itself, what it goes around twice is outside. A center on the outline is
 * inside, as it is for the other shapes.
 */
function polygonSpans(corners: readonly Point[], row: number, { width }: Size): readonly Span[] {
  const y = row + 0.5;
  const crossings: number[] = [];
  const ranges: (readonly [number, number])[] = [];
  for (const [i, a] of corners.entries()) {
    const b = corners[(i + 1) % corners.length] ?? a;
    if (a.y === y) ranges.push([a.x, b.y === y ? b.x : a.x]);
    // Each corner belongs to one of its two edges, so that a line through it crosses the outline once.
    if (a.y <= y !== b.y <= y) crossings.push(a.y < b.y ? crossingOf(a, b, y) : crossingOf(b, a, y));
  }
  crossings.sort((a, b) => a - b);
  for (let i = 0; i + 1 < crossings.length; i += 2) ranges.push([crossings[i]!, crossings[i + 1]!]);
  return joinSpans(ranges.map(([a, b]) => spanBetween(a, b, width)));
}

/**
 * Where an edge that goes down is at `y`. Two polygons that share an edge have it in opposite directions: rounded
 * differently, a center between the two results would be in neither of them.
 */
function crossingOf(upper: Point, lower: Point, y: number): number {
  return upper.x + ((y - upper.y) * (lower.x - upper.x)) / (lower.y - upper.y);
}

function joinSpans(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.first - b.first)) {
    const last = joined.at(-1);
    if (span.end <= span.first) continue;
    if (last === undefined || span.first > last.end) joined.push(span);
    else joined[joined.length - 1] = { first: last.first, end: Math.max(last.end, span.end) };
  }
  return joined;
}

function spanBetween(a: number, b: number, size: number): Span {
  const first = Math.max(0, Math.ceil(Math.min(a, b) - 0.5));
  return { first, end: Math.max(first, Math.min(size, Math.floor(Math.max(a, b) - 0.5) + 1)) };
}

function isBetween(value: number, a: number, b: number): boolean {
  return value >= Math.min(a, b) && value <= Math.max(a, b);
}
