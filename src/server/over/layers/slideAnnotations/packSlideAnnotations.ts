import { encodePoints, POINT_SHAPES, type PointClusters, type PointShapes } from '../../../../shared/pointsPacket.ts';
import { binOf, CLUSTER_BINS } from '../../../../shared/valueBins.ts';
import { findDataSet } from '../../../standard/dicom/findDataSet.ts';
import { INFLATE_LIMITS } from '../../../standard/dicom/inflatedSource.ts';
import { FlagCollector } from '../../../standard/dicom/readFlags.ts';
import type { ByteSource } from '../../../bytes/origins/byteSource.ts';
import { withSame } from '../../../bytes/origins/origins.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { type AnnotationBox, createGroupFinder, findAnnotations } from './annotationIndex.ts';
import type { PackSlideAnnotationsInput } from './slideAnnotationTasks.ts';

/** In a part of a slide with more annotations, clusters of them are sent. */
export const MOST_SHAPES = 8192;
/** Side of a cluster, in pixels of the screen. */
const CLUSTER_PX = 64;
/** An annotation that is smaller on the screen is a point. */
const LEAST_PX = 3;
/** Points that are closer on the screen are left out. */
const DETAIL_PX = 0.4;
/** Numbers of values in clusters; beyond, only their means are sent. */
const MOST_BINS = 2 ** 20;
/** Points of all annotations of a region. */
const MOST_POINTS = 2_000_000;

/** Implements `packSlideAnnotationsTask`. */
export function packSlideAnnotations(input: PackSlideAnnotationsInput, context: TaskContext): Uint8Array<ArrayBuffer> {
  const { layer, region, columns, groups } = input;
  const box = regionInObject(input);
  const found: number[] = [];
  let count = 0;
  const groupAt = createGroupFinder(groups);
  findAnnotations(columns, box, (at) => {
    if (groups[groupAt(columns.places[at]!)]!.number < 0) return;
    count += 1;
    if (count <= MOST_SHAPES) found.push(at);
  });
  context.throwIfCancelled();
  const content = count > MOST_SHAPES ? countClusters(input, box) : collectShapes(input, found);
  const [rows, columnsOfRegion] = [Math.ceil(region.height), Math.ceil(region.width)];
  return context.transfer(encodePoints(layer, { rows, columns: columnsOfRegion, content }));
}

/** The region in coordinates of the object, half a pixel larger, because (0, 0) is the centre of a pixel there. */
function regionInObject({ region, toSlide }: PackSlideAnnotationsInput): AnnotationBox {
  const [a, b, c, d, e, f] = toSlide;
  const determinant = a * d - b * c;
  const corners = [0, 1].flatMap((down) =>
    [0, 1].map((across) => {
      const [x, y] = [region.x - 0.5 + across * region.width - e, region.y - 0.5 + down * region.height - f];
      return [(d * x - c * y) / determinant, (a * y - b * x) / determinant] as const;
    }),
  );
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

/** Annotations of each part in each cell, by their centres. Cells are counted from the corner of the slide. */
function countClusters(
  { columns, groups, toSlide, region, pixel }: PackSlideAnnotationsInput,
  box: AnnotationBox,
): PointClusters {
  const cell = CLUSTER_PX * pixel;
  const [a, b, c, d, e, f] = toSlide;
  const width = widthOf(groups);
  const groupAt = createGroupFinder(groups);
  const sums = new Map<number, ClusterSums>();
  const across = Math.ceil(region.width / cell) + 1;
  findAnnotations(columns, box, (at) => {
    const group = groupAt(columns.places[at]!);
    const part = groups[group]!.number;
    if (part < 0) return;
    const i = 4 * at;
    const [x, y] = [
      (columns.boxes[i]! + columns.boxes[i + 2]!) / 2,
      (columns.boxes[i + 1]! + columns.boxes[i + 3]!) / 2,
    ];
    // From the corner of the region.
    const [atX, atY] = [a * x + c * y + e + 0.5 - region.x, b * x + d * y + f + 0.5 - region.y];
    if (atX < 0 || atY < 0 || atX >= region.width || atY >= region.height) return;
    const key = (Math.floor(atY / cell) * across + Math.floor(atX / cell)) * groups.length + group;
    let known = sums.get(key);
    if (known === undefined) {
      known = createSums(part, width);
      sums.set(key, known);
    }
    known.x += atX;
    known.y += atY;
    known.count += 1;
    const { start, values, ranges } = groups[group]!;
    for (let measured = 0; measured < values.length; measured += 1) {
      const value = values[measured]?.[columns.places[at]! - start] ?? NaN;
      if (Number.isNaN(value)) continue;
      known.values[measured]! += value;
      const range = ranges[measured];
      if (range !== undefined) known.bins[measured * CLUSTER_BINS + binOf(range, CLUSTER_BINS, value)]! += 1;
      known.given[measured]! += 1;
    }
  });
  const entries = [...sums.values()];
  const hasBins = entries.length * width * CLUSTER_BINS <= MOST_BINS;
  const bins = new Uint32Array(hasBins ? entries.length * width * CLUSTER_BINS : 0);
  if (hasBins) for (const [at, entry] of entries.entries()) bins.set(entry.bins, at * width * CLUSTER_BINS);
  return {
    cell,
    x: Float32Array.from(entries, ({ x, count }) => x / count),
    y: Float32Array.from(entries, ({ y, count }) => y / count),
    parts: Uint32Array.from(entries, ({ part }) => part),
    counts: Uint32Array.from(entries, ({ count }) => count),
    width,
    // Nothing by nothing is NaN.
    values: Float32Array.from(entries.flatMap(({ values, given }) => [...values].map((sum, at) => sum / given[at]!))),
    bins,
  };
}

type ClusterSums = {
  readonly part: number;
  x: number;
  y: number;
  count: number;
  /** Of each measurement, the sum of the values and their number. */
  readonly values: Float64Array;
  readonly given: Float64Array;
  /** Of each measurement, the numbers of values in parts of its range. */
  readonly bins: Uint32Array;
};

function createSums(part: number, width: number): ClusterSums {
  return {
    part,
    x: 0,
    y: 0,
    count: 0,
    values: new Float64Array(width),
    given: new Float64Array(width),
    bins: new Uint32Array(width * CLUSTER_BINS),
  };
}

/** Most measurements of a group that is sent. */
function widthOf(groups: PackSlideAnnotationsInput['groups']): number {
  return groups.reduce((most, { number, values }) => (number < 0 ? most : Math.max(most, values.length)), 0);
}

const POINT = POINT_SHAPES.indexOf('point');
/** Shapes that are drawn with all their points. */
const FIXED: ReadonlySet<number> = new Set([POINT_SHAPES.indexOf('ellipse'), POINT_SHAPES.indexOf('rectangle')]);

function collectShapes(input: PackSlideAnnotationsInput, found: readonly number[]): PointShapes {
  const { source: file, columns, groups, toSlide, region, pixel } = input;
  const [a, b, c, d, e, f] = toSlide;
  const scale = Math.sqrt(Math.abs(a * d - b * c));
  const least = (LEAST_PX * pixel) / scale;
  const shapes = createShapes(found.length, widthOf(groups));
  // In the order of the file, so that neighbours are read together.
  const ordered = found.toSorted((one, two) => columns.places[one]! - columns.places[two]!);
  const groupAt = createGroupFinder(groups);
  const groupOf = (at: number) => groups[groupAt(columns.places[at]!)]!;
  const isLarge = (at: number) => {
    const i = 4 * at;
    const { boxes } = columns;
    return boxes[i + 2]! - boxes[i]! >= least || boxes[i + 3]! - boxes[i + 1]! >= least;
  };
  const put = (x: number, y: number) => shapes.point(a * x + c * y + e - region.x, b * x + d * y + f - region.y);
  const end = (at: number, part: number, shape: number) => {
    const { start, values } = groupOf(at);
    shapes.end(part, shape, columns.places[at]! - start, values);
  };
  const putSmall = (at: number, part: number) => {
    const i = 4 * at;
    const { boxes } = columns;
    put((boxes[i]! + boxes[i + 2]!) / 2, (boxes[i + 1]! + boxes[i + 3]!) / 2);
    end(at, part, POINT);
  };
  const needsFile = ordered.some(isLarge) || groups.some(({ shape }) => shape === POINT);
  if (!needsFile) {
    for (const at of ordered) putSmall(at, groupOf(at).number);
    return shapes.finish();
  }
  withSame(file, (opened) => {
    const read = createPointReader(opened);
    for (const at of ordered) {
      const { number, shape, data } = groupOf(at);
      const count = columns.counts[at]!;
      // One large annotation may have as many points as all others together.
      if ((shape !== POINT && !isLarge(at)) || shapes.pointCount() + count > MOST_POINTS) {
        putSmall(at, number);
        continue;
      }
      const points = read(data, columns.firsts[at]!, count);
      const step = FIXED.has(shape) || shape === POINT ? 0 : (DETAIL_PX * pixel) / scale;
      let [lastX, lastY] = [NaN, NaN];
      for (let i = 0; i < points.length; i += 2) {
        const [x, y] = [points[i]!, points[i + 1]!];
        const isEnd = i === 0 || i === points.length - 2;
        if (!isEnd && Math.abs(x - lastX) < step && Math.abs(y - lastY) < step) continue;
        [lastX, lastY] = [x, y];
        put(x, y);
      }
      end(at, number, shape);
    }
  });
  return shapes.finish();
}

const READ_BYTES = 256 * 1024;

/** Reads x and y of the points of an annotation, with the bytes after it in the same read. */
function createPointReader(file: ByteSource) {
  let source = file;
  let isInflated = false;
  let [start, bytes] = [0, new Uint8Array(0)];
  const take = (offset: number, length: number): DataView | undefined => {
    if (offset < start || offset + length > start + bytes.length) {
      bytes = source.read(offset, Math.max(length, READ_BYTES)).slice();
      start = offset;
    }
    return bytes.length < offset - start + length ? undefined : new DataView(bytes.buffer, offset - start, length);
  };
  return (
    { offset, isDouble, littleEndian, dimensions, isDeflated }: PackSlideAnnotationsInput['groups'][number]['data'],
    first: number,
    count: number,
  ): Float64Array => {
    if (isDeflated && !isInflated) {
      const flags = new FlagCollector();
      source = findDataSet(file, { flags, inflateLimits: INFLATE_LIMITS })?.source ?? file;
      isInflated = true;
    }
    const width = isDouble ? 8 : 4;
    const stride = width * dimensions;
    const points = new Float64Array(2 * count);
    const view = take(offset + first * stride, count * stride);
    if (view === undefined) return points.subarray(0, 0);
    for (let at = 0; at < count; at += 1) {
      for (let axis = 0; axis < 2; axis += 1) {
        const place = at * stride + axis * width;
        points[2 * at + axis] = isDouble ? view.getFloat64(place, littleEndian) : view.getFloat32(place, littleEndian);
      }
    }
    return points;
  };
}

/** Columns of annotations; their points grow. */
function createShapes(most: number, width: number) {
  const parts = new Uint32Array(most);
  const types = new Uint8Array(most);
  const starts = new Uint32Array(most + 1);
  const numbers = new Uint32Array(most);
  const values = new Float32Array(most * width).fill(NaN);
  let points = new Float32Array(4096);
  let [count, end] = [0, 0];
  return {
    pointCount: () => end,
    point(x: number, y: number): void {
      if (2 * end === points.length) {
        const larger = new Float32Array(2 * points.length);
        larger.set(points);
        points = larger;
      }
      points[2 * end] = x;
      points[2 * end + 1] = y;
      end += 1;
    },
    end(part: number, type: number, number: number, measured: readonly (Float32Array | undefined)[]): void {
      parts[count] = part;
      types[count] = type;
      numbers[count] = number + 1;
      for (const [at, column] of measured.entries()) {
        if (column !== undefined) values[count * width + at] = column[number]!;
      }
      count += 1;
      starts[count] = end;
    },
    finish: (): PointShapes => ({
      parts: parts.slice(0, count),
      types: types.slice(0, count),
      starts: starts.slice(0, count + 1),
      points: points.slice(0, 2 * end),
      numbers: numbers.slice(0, count),
      width,
      values: values.slice(0, count * width),
    }),
  };
}
