import type { Rgb } from '../../../../shared/cielab.ts';
import type { Code } from '../../../../shared/contract/semantics.ts';
import type { DescribedMeasurement } from '../layerProvider.ts';

/** Where the annotations of one object lie. Their points stay in the file. */
export type AnnotationIndex = {
  readonly groups: readonly AnnotationGroup[];
  /** Of the image that the coordinates are pixels of. */
  readonly image: AnnotatedImage | undefined;
  /** Whether coordinates are pixels, or millimetres in the coordinate system of the slide. */
  readonly isInSpace: boolean;
  readonly frameOfReferenceUid: string | undefined;
  readonly columns: AnnotationColumns;
  readonly leftOut: readonly { readonly part: number | undefined; readonly reason: string; readonly count: number }[];
  /** Measured values that belong to no annotation. */
  readonly strayValues: number;
  /** Reading stopped before the end of the object. */
  readonly isCut: boolean;
};

export type AnnotatedImage = {
  readonly sopInstanceUid: string;
  /** The frame (from 0) that coordinates are relative to; undefined for the total pixel matrix. */
  readonly frame: number | undefined;
};

export type AnnotationGroup = {
  readonly number: number;
  readonly label: string | undefined;
  readonly description: string | undefined;
  readonly type: Code | undefined;
  readonly color: Rgb | undefined;
  /** Graphic Type as the object names it. */
  readonly graphicType: string;
  /** Index into `POINT_SHAPES`. */
  readonly shape: number;
  /** Number of annotations that can be drawn. */
  readonly count: number;
  /** Number of annotations in the groups before. */
  readonly start: number;
  readonly data: CoordinateData;
  readonly measurements: readonly GroupMeasurement[];
};

/** What was measured of the annotations of a group. */
export type GroupMeasurement = DescribedMeasurement & {
  /** By the number of the annotation in its group, from 0; NaN if it has none. Undefined if there is no room for them. */
  readonly values: Float32Array | undefined;
};

/** The coordinates of a group in the file. */
export type CoordinateData = {
  readonly offset: number;
  readonly isDouble: boolean;
  readonly littleEndian: boolean;
  /** Numbers for each point. */
  readonly dimensions: 2 | 3;
  /** The offset is that of inflated bytes. */
  readonly isDeflated: boolean;
};

/**
 * All annotations in shared memory, ordered by the cell of a grid that their centre is in. A box of a thousand times as
 * many annotations is found without looking at the others.
 */
export type AnnotationColumns = {
  readonly length: number;
  /** Left, top, right, bottom of each, in the units of the object. */
  readonly boxes: Float32Array;
  /** Its place among all annotations of the object, drawable or not, group after group. */
  readonly places: Uint32Array;
  /** First point and number of points in the data of the group. */
  readonly firsts: Uint32Array;
  readonly counts: Uint32Array;
  readonly grid: AnnotationGrid;
};

export type AnnotationGrid = {
  readonly left: number;
  readonly top: number;
  /** Width and height of a cell. */
  readonly cell: number;
  readonly across: number;
  readonly down: number;
  /** First annotation of each cell, row by row, followed by their number without the large ones. */
  readonly starts: Uint32Array;
  /** Annotations from this number on are larger than a cell, and are in no cell. */
  readonly large: number;
};

export function bytesOfIndex({ columns, groups }: AnnotationIndex): number {
  const { boxes, places, firsts, counts, grid } = columns;
  const values = groups.flatMap(({ measurements }) => measurements.flatMap((one) => one.values ?? []));
  const lists = [boxes, places, firsts, counts, grid.starts, ...values];
  return lists.reduce((sum, { byteLength }) => sum + byteLength, 1024 * groups.length + 256 * values.length);
}

/** Creates a function that finds the group of an annotation by its place; groups are ordered by their start. */
export function createGroupFinder(groups: readonly Pick<AnnotationGroup, 'start'>[]): (place: number) => number {
  const starts = Uint32Array.from(groups, ({ start }) => start);
  if (starts.length === 1) return () => 0;
  return (place) => {
    let [low, high] = [0, starts.length - 1];
    // The last group that does not begin behind the place: those before it at the same place are empty.
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  };
}

export type AnnotationBox = Readonly<Record<'left' | 'top' | 'right' | 'bottom', number>>;

/** Calls `found` for each annotation whose box meets another one. */
export function findAnnotations(
  { boxes, grid, length }: AnnotationColumns,
  box: AnnotationBox,
  found: (at: number) => void,
): void {
  const visit = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) {
      const i = 4 * at;
      if (
        boxes[i]! <= box.right &&
        boxes[i + 2]! >= box.left &&
        boxes[i + 1]! <= box.bottom &&
        boxes[i + 3]! >= box.top
      ) {
        found(at);
      }
    }
  };
  const { left, top, cell, across, down, starts, large } = grid;
  // An annotation reaches half a cell beyond that of its centre.
  const first = Math.max(0, Math.floor((box.left - left) / cell - 0.5));
  const last = Math.min(across - 1, Math.floor((box.right - left) / cell + 0.5));
  const lastRow = Math.min(down - 1, Math.floor((box.bottom - top) / cell + 0.5));
  for (let row = Math.max(0, Math.floor((box.top - top) / cell - 0.5)); row <= lastRow; row += 1) {
    if (last >= first) visit(starts[row * across + first]!, starts[row * across + last + 1]!);
  }
  visit(large, length);
}

type Unordered = Omit<AnnotationColumns, 'grid'>;

/** Annotations for each cell, on average. */
const PER_CELL = 16;
const MOST_CELLS = 2 ** 20;

/** Orders annotations by cells. */
export function orderAnnotations({ length, boxes, places, firsts, counts }: Unordered): AnnotationColumns {
  const [left, top, right, bottom] = boundsOf(boxes, length);
  const area = Math.max(1e-12, (right - left) * (bottom - top));
  const size = Math.max(right - left, bottom - top, 1e-6);
  const cells = Math.min(MOST_CELLS, Math.max(1, Math.ceil(length / PER_CELL)));
  // Of a thin strip, cells are as many as along its longer side at most.
  const cell = Math.max(Math.sqrt(area / cells), size / cells, size / 4096, 1e-9);
  const across = Math.max(1, Math.ceil((right - left) / cell));
  const down = Math.max(1, Math.ceil((bottom - top) / cell));
  const cellOf = new Uint32Array(length);
  const isLarge = across * down;
  const sizes = new Uint32Array(across * down + 2);
  for (let at = 0; at < length; at += 1) {
    const i = 4 * at;
    const [width, height] = [boxes[i + 2]! - boxes[i]!, boxes[i + 3]! - boxes[i + 1]!];
    const column = Math.min(across - 1, Math.max(0, Math.floor((boxes[i]! + width / 2 - left) / cell)));
    const row = Math.min(down - 1, Math.max(0, Math.floor((boxes[i + 1]! + height / 2 - top) / cell)));
    const place = width > cell || height > cell ? isLarge : row * across + column;
    cellOf[at] = place;
    sizes[place + 1]! += 1;
  }
  for (let place = 1; place < sizes.length; place += 1) sizes[place]! += sizes[place - 1]!;
  const starts = sharedCopy(Uint32Array, sizes.subarray(0, isLarge + 1));
  const next = sizes.slice();
  const ordered = {
    boxes: new Float32Array(new SharedArrayBuffer(16 * length)),
    places: new Uint32Array(new SharedArrayBuffer(4 * length)),
    firsts: new Uint32Array(new SharedArrayBuffer(4 * length)),
    counts: new Uint32Array(new SharedArrayBuffer(4 * length)),
  };
  for (let at = 0; at < length; at += 1) {
    const to = next[cellOf[at]!]!;
    next[cellOf[at]!] = to + 1;
    for (let side = 0; side < 4; side += 1) ordered.boxes[4 * to + side] = boxes[4 * at + side]!;
    ordered.places[to] = places[at]!;
    ordered.firsts[to] = firsts[at]!;
    ordered.counts[to] = counts[at]!;
  }
  return { length, ...ordered, grid: { left, top, cell, across, down, starts, large: sizes[isLarge]! } };
}

function boundsOf(boxes: Float32Array, length: number): readonly [number, number, number, number] {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < 4 * length; i += 4) {
    left = Math.min(left, boxes[i]!);
    top = Math.min(top, boxes[i + 1]!);
    right = Math.max(right, boxes[i + 2]!);
    bottom = Math.max(bottom, boxes[i + 3]!);
  }
  return length === 0 ? [0, 0, 0, 0] : [left, top, right, bottom];
}

function sharedCopy(Kind: typeof Uint32Array, values: Uint32Array): Uint32Array {
  const column = new Kind(new SharedArrayBuffer(values.byteLength));
  column.set(values);
  return column;
}
