import type { Box } from './structures.ts';

/** Corners of a closed line in pixels, x and y alternating: (0, 0) is the centre of the first pixel. */
export type Contour = readonly number[];

/** Pixels are combined into blocks of this size: an outline needs no more points, and the steps are smoothed. */
const BLOCK = 2;

/** The pixels of a structure: those of `bits` that have `bit` set, all of them inside `box`. */
type Region = { readonly bits: Uint16Array; readonly bit: number; readonly columns: number; readonly box: Box };

/** The outer outlines of a region, largest first. Holes are omitted. */
export function traceContours(region: Region): Contour[] {
  const field = fillField(region);
  const next = linkEdges(field);
  const room = new Float64Array(2 * next.length);
  const outlines: { contour: Contour; area: number }[] = [];
  for (let start = 0; start < next.length; start++) {
    if (next[start] === NONE) continue;
    const contour = straighten(room.subarray(0, followOutline(room, field, { next, start })));
    // Outlines keep the inside on their left, so holes run in the opposite direction.
    const area = -signedArea(contour);
    if (area > LEAST_AREA) outlines.push({ contour, area });
  }
  return outlines.toSorted((a, b) => b.area - a.area).map(({ contour }) => contour);
}

/**
 * Removes the edges of one outline from `next` and writes the points where they are crossed. Returns how many numbers
 * it wrote.
 */
function followOutline(
  points: Float64Array,
  field: Field,
  { next, start }: { readonly next: Int32Array; readonly start: number },
): number {
  let count = 0;
  for (let edge = start; next[edge] !== NONE;) {
    const [x, y] = crossing(field, edge);
    points[count++] = x;
    points[count++] = y;
    const following = next[edge]!;
    next[edge] = NONE;
    edge = following;
  }
  return count;
}

const NONE = -1;
/** In pixels. */
const LEAST_AREA = 30;
/** In pixels. A corner closer than this to the line between its neighbours is omitted. */
const TOLERANCE = 0.22;

/**
 * Fill level of each block, 0 to 1, with a border of empty blocks; the first inner block begins at `left` and `top`.
 */
type Field = {
  readonly values: Float32Array;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
};

function fillField({ bits, bit, columns, box }: Region): Field {
  const left = box.left - (box.left % BLOCK);
  const top = box.top - (box.top % BLOCK);
  const width = Math.floor((box.right - left) / BLOCK) + 3;
  const height = Math.floor((box.bottom - top) / BLOCK) + 3;
  const values = new Float32Array(width * height);
  for (let row = box.top; row <= box.bottom; row++) {
    const line = (Math.floor((row - top) / BLOCK) + 1) * width + 1;
    const inBox = bits.subarray(row * columns + left, row * columns + box.right + 1);
    addRow(values.subarray(line, line + width - 2), inBox, bit);
  }
  return { values, width, height, left, top };
}

function addRow(blocks: Float32Array, bits: Uint16Array, bit: number): void {
  for (let i = 0; i < bits.length; i++) if ((bits[i]! & bit) !== 0) blocks[i >> 1]! += 1 / (BLOCK * BLOCK);
}

const TOP = 0;
const RIGHT = 1;
const BOTTOM = 2;
const LEFT = 3;
/**
 * Marching squares: for each pattern of full corners (1 upper left, 2 upper right, 4 lower right, 8 lower left), the
 * edges through which the outline enters and leaves a square of four blocks.
 */
const PATHS: readonly (readonly number[])[] = [
  [],
  [LEFT, TOP],
  [TOP, RIGHT],
  [LEFT, RIGHT],
  [RIGHT, BOTTOM],
  [LEFT, TOP, RIGHT, BOTTOM],
  [TOP, BOTTOM],
  [LEFT, BOTTOM],
  [BOTTOM, LEFT],
  [BOTTOM, TOP],
  [TOP, RIGHT, BOTTOM, LEFT],
  [BOTTOM, RIGHT],
  [RIGHT, LEFT],
  [RIGHT, TOP],
  [TOP, LEFT],
  [],
];

/**
 * For each edge that the outline crosses, the edge that it crosses next. Edge 2n connects block n to its right
 * neighbour, 2n + 1 to the block below.
 */
function linkEdges({ values, width, height }: Field): Int32Array {
  const next = new Int32Array(2 * values.length).fill(NONE);
  for (let y = 0; y < height - 1; y++) {
    for (let x = 0; x < width - 1; x++) {
      const at = y * width + x;
      const pattern =
        full(values[at]!) +
        2 * full(values[at + 1]!) +
        4 * full(values[at + width + 1]!) +
        8 * full(values[at + width]!);
      if (pattern === 0 || pattern === 15) continue;
      const edges = [2 * at, 2 * (at + 1) + 1, 2 * (at + width), 2 * at + 1];
      const path = PATHS[pattern]!;
      for (let i = 0; i < path.length; i += 2) next[edges[path[i]!]!] = edges[path[i + 1]!]!;
    }
  }
  return next;
}

function full(value: number): 0 | 1 {
  return value > 0.5 ? 1 : 0;
}

/** Where the outline crosses an edge, in pixels. */
function crossing({ values, width, left, top }: Field, edge: number): [number, number] {
  const at = edge >> 1;
  const isDown = (edge & 1) === 1;
  const here = values[at]!;
  const there = values[isDown ? at + width : at + 1]!;
  const t = (0.5 - here) / (there - here);
  const x = (at % width) - 1 + (isDown ? 0 : t);
  const y = Math.floor(at / width) - 1 + (isDown ? t : 0);
  return [left + toPixel(x), top + toPixel(y)];
}

/** Position of the middle of a block. */
function toPixel(block: number): number {
  return block * BLOCK + (BLOCK - 1) / 2;
}

function straighten(points: Float64Array): number[] {
  const kept = [points[0]!, points[1]!];
  for (let i = 2; i < points.length - 2; i += 2) {
    const [ax, ay] = [kept.at(-2)!, kept.at(-1)!];
    const [bx, by] = [points[i + 2]! - ax, points[i + 3]! - ay];
    const offLine = Math.abs(bx * (points[i + 1]! - ay) - by * (points[i]! - ax)) / Math.hypot(bx, by);
    if (offLine > TOLERANCE || bx * bx + by * by > 900) kept.push(points[i]!, points[i + 1]!);
  }
  kept.push(points.at(-2)!, points.at(-1)!);
  return kept;
}

function signedArea(points: readonly number[]): number {
  let twice = 0;
  for (let i = 0; i < points.length; i += 2) {
    const j = (i + 2) % points.length;
    twice += points[i]! * points[j + 1]! - points[j]! * points[i + 1]!;
  }
  return twice / 2;
}
