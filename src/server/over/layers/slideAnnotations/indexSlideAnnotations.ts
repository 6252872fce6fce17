import { dicomCielabToRgb } from '../../../../shared/cielab.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { POINT_SHAPES, type PointShape } from '../../../../shared/pointsPacket.ts';
import { binOf, DESCRIBED_BINS } from '../../../../shared/valueBins.ts';
import { toUnitSymbol } from '../../../../shared/unitSymbol.ts';
import type { DataElement, DataSet } from '../../../standard/dicom/dataSet.ts';
import { InflatedSource } from '../../../standard/dicom/inflatedSource.ts';
import { readDicom } from '../../../standard/dicom/readDataSet.ts';
import { readFrameNumbers } from '../../../standard/dicom/eachFrame.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { withSame } from '../../../bytes/origins/origins.ts';
import { CODE_TAGS, findCode } from '../../../standard/dicom/code.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import {
  type AnnotatedImage,
  type AnnotationColumns,
  type AnnotationGroup,
  type AnnotationIndex,
  type CoordinateData,
  type GroupMeasurement,
  orderAnnotations,
} from './annotationIndex.ts';
import type { ReadSpatialInput } from '../spatial/spatialLayers.ts';

/** Implements `indexSlideAnnotationsTask`: reads every coordinate once, and keeps only the box around each annotation. */
export function indexSlideAnnotations(
  { source: file, mostBytes }: ReadSpatialInput,
  context: TaskContext,
): AnnotationIndex {
  return withSame(file, (source) => {
    const { dataSet, flags } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: { element: (_, tag) => WANTED.has(tag), item: () => true },
      limits: { maxElements: 1_000_000 },
      maxValueBytes: 256,
      measure: false,
    });
    const isInSpace = dataSet.string(Tag.AnnotationCoordinateType) === '3D';
    const { groups, columns, leftOut, strayValues } = readGroups(dataSet, { isInSpace, mostBytes, context });
    return {
      groups,
      image: isInSpace ? undefined : findImage(dataSet),
      isInSpace,
      frameOfReferenceUid: dataSet.string(Tag.FrameOfReferenceUID),
      columns,
      leftOut,
      strayValues,
      isCut: flags.some(({ code }) => code === 'element_limit' || code === 'byte_limit' || code === 'truncated'),
    };
  });
}

const WANTED: ReadonlySet<number> = new Set([
  Tag.SpecificCharacterSet,
  ...CODE_TAGS,
  Tag.FrameOfReferenceUID,
  Tag.ReferencedImageSequence,
  Tag.ReferencedSOPInstanceUID,
  Tag.ReferencedFrameNumber,
  Tag.PixelOriginInterpretation,
  Tag.AnnotationCoordinateType,
  Tag.AnnotationGroupSequence,
  Tag.AnnotationGroupNumber,
  Tag.AnnotationGroupLabel,
  Tag.AnnotationGroupDescription,
  Tag.AnnotationGroupGenerationType,
  Tag.AnnotationPropertyTypeCodeSequence,
  Tag.NumberOfAnnotations,
  Tag.CommonZCoordinateValue,
  Tag.GraphicType,
  Tag.PointCoordinatesData,
  Tag.DoublePointCoordinatesData,
  Tag.LongPrimitivePointIndexList,
  Tag.RecommendedDisplayCIELabValue,
  Tag.MeasurementsSequence,
  Tag.ConceptNameCodeSequence,
  Tag.MeasurementUnitsCodeSequence,
  Tag.MeasurementValuesSequence,
  Tag.FloatingPointValues,
  Tag.AnnotationIndexList,
]);

/** Graphic Type, PS3.3 C.37.1.2. */
const SHAPES: ReadonlyMap<string, PointShape> = new Map([
  ['POINT', 'point'],
  ['POLYLINE', 'polyline'],
  ['POLYGON', 'polygon'],
  ['ELLIPSE', 'ellipse'],
  ['RECTANGLE', 'rectangle'],
]);
/** Points of each annotation; lists of points have an index list instead. */
const POINTS_OF: Partial<Record<PointShape, number>> = { point: 1, ellipse: 4, rectangle: 4 };

/** More groups than a user can tell apart. */
const MOST_GROUPS = 4096;
const MOST_ANNOTATIONS = 16_000_000;
/** Of the finished index and of the lists that it is ordered from. */
const BYTES_PER_ANNOTATION = 28;
/** More than are shown of one annotation. */
const MOST_MEASUREMENTS = 16;
/** Coordinates beyond are on no slide. */
const FARTHEST = 1e8;
const PIECE_BYTES = 1024 * 1024;

type Options = { readonly isInSpace: boolean; readonly mostBytes: number; readonly context: TaskContext };

/** The image that 2D coordinates are pixels of. */
function findImage(dataSet: DataSet): AnnotatedImage | undefined {
  const reference = dataSet.items(Tag.ReferencedImageSequence)[0];
  const sopInstanceUid = reference?.string(Tag.ReferencedSOPInstanceUID);
  if (reference === undefined || sopInstanceUid === undefined) return undefined;
  const [number] = readFrameNumbers(reference, 1);
  const isFrame = dataSet.string(Tag.PixelOriginInterpretation) === 'FRAME' && number !== undefined;
  return { sopInstanceUid, frame: isFrame ? number - 1 : undefined };
}

function readGroups(dataSet: DataSet, { isInSpace, mostBytes, context }: Options) {
  const boxes = createBoxes(mostBytes);
  const groups: AnnotationGroup[] = [];
  let [start, valueBytes, strayValues] = [0, 0, 0];
  const leftOut: { part: number | undefined; reason: string; count: number }[] = [];
  const items = dataSet.items(Tag.AnnotationGroupSequence);
  if (items.length > MOST_GROUPS) {
    const count = items.length - MOST_GROUPS;
    leftOut.push({ part: undefined, reason: `only the first ${MOST_GROUPS} groups are drawn`, count });
  }
  const used = new Set<number>();
  for (const item of items.slice(0, MOST_GROUPS)) {
    context.throwIfCancelled();
    const number = numberGroup(item, groups.length, used);
    const type = item.string(Tag.GraphicType)?.toUpperCase() ?? '';
    const shape = SHAPES.get(type);
    const element = item.element(Tag.DoublePointCoordinatesData) ?? item.element(Tag.PointCoordinatesData);
    const declared = item.number(Tag.NumberOfAnnotations);
    let data: CoordinateData = { offset: 0, isDouble: false, littleEndian: true, dimensions: 2, isDeflated: false };
    let [count, total] = [0, 0];
    const leave = (reason: string, many: number) => {
      if (many > 0) leftOut.push({ part: number, reason, count: many });
    };
    if (shape === undefined) leave(`the graphic type “${type.slice(0, 32)}” is not one of the standard`, declared ?? 1);
    else if (element === undefined) leave('the group has no coordinates', declared ?? 1);
    else {
      const hasCommonZ = item.has(Tag.CommonZCoordinateValue);
      data = locateData(item, element, isInSpace && !hasCommonZ ? 3 : 2);
      const before = boxes.length();
      total = addBoxes(item, { element, data, shape, start, boxes, context });
      count = boxes.length() - before;
      const bad = total - count;
      leave('the coordinates of annotations are not numbers, or their index list does not fit the coordinates', bad);
      const missing = (declared ?? count + bad) - count - bad;
      leave('the group declares more annotations than it has coordinates for', Math.max(0, missing));
    }
    const leftBytes = mostBytes - boxes.length() * BYTES_PER_ANNOTATION - valueBytes;
    const { measurements, strays } = readMeasurements(item, { total, leftBytes, context });
    valueBytes += measurements.reduce((sum, { values }) => sum + (values?.byteLength ?? 0), 0);
    strayValues += strays;
    groups.push({
      number,
      label: item.string(Tag.AnnotationGroupLabel),
      description: describeGroup(item, count, measurements),
      type: findCode(item, Tag.AnnotationPropertyTypeCodeSequence),
      color: findColor(item),
      graphicType: type,
      shape: shape === undefined ? 0 : POINT_SHAPES.indexOf(shape),
      count,
      start,
      data,
      measurements,
    });
    start += total;
  }
  const columns = orderAnnotations(boxes.finish());
  return { groups, columns, leftOut: leftOut.slice(0, MOST_GROUPS), strayValues };
}

/** Annotation Group Number, or another one if it was used before. */
function numberGroup(item: DataSet, place: number, used: Set<number>): number {
  const declared = item.number(Tag.AnnotationGroupNumber) ?? place + 1;
  const number = used.has(declared) ? 100_000 + place : declared;
  used.add(number);
  return number;
}

function describeGroup(item: DataSet, count: number, measurements: readonly GroupMeasurement[]): string {
  const type = item.string(Tag.GraphicType)?.toLowerCase() ?? 'annotation';
  return [
    `${count.toLocaleString('en')} ${count === 1 ? type : `${type}s`}`,
    // Before what is long and seldom needed, because the list has little room.
    ...measurements.map(describeMeasurement),
    findCode(item, Tag.AnnotationPropertyTypeCodeSequence)?.meaning ?? '',
    item.string(Tag.AnnotationGroupGenerationType)?.toLowerCase() ?? '',
    item.string(Tag.AnnotationGroupDescription) ?? '',
  ]
    .filter((text) => text !== '')
    .join(' · ');
}

/** Example: `Area 20.4 to 43.8 µm²`. */
function describeMeasurement({ name, unit, range }: GroupMeasurement): string {
  if (range === undefined) return unit === '' ? name : `${name} (${unit})`;
  const [low, high] = range.map((value) => String(Number(value.toPrecision(4))));
  return `${name} ${low === high ? low : `${low} to ${high}`} ${unit}`.trimEnd();
}

type MeasuredGroup = {
  /** Number of annotations of the group, drawable or not. */
  readonly total: number;
  /** For the values. */
  readonly leftBytes: number;
  readonly context: TaskContext;
};

/** Measurements Sequence, PS3.3 C.37.1.2.4: the values of all annotations, or of those in an index list from 1 on. */
function readMeasurements(item: DataSet, { total, leftBytes, context }: MeasuredGroup) {
  const measurements: GroupMeasurement[] = [];
  let left = leftBytes;
  let strays = 0;
  for (const measurement of item.items(Tag.MeasurementsSequence).slice(0, MOST_MEASUREMENTS)) {
    context.throwIfCancelled();
    const unit = findCode(measurement, Tag.MeasurementUnitsCodeSequence);
    const named = {
      name: findCode(measurement, Tag.ConceptNameCodeSequence)?.meaning ?? 'Measurement',
      unit: unit === undefined ? '' : toUnitSymbol(unit, unit.meaning),
    };
    const [written] = measurement.items(Tag.MeasurementValuesSequence);
    const element = written?.element(Tag.FloatingPointValues);
    if (written === undefined || element === undefined || 4 * total > left) {
      measurements.push({ ...named, values: undefined, count: 0, range: undefined, bins: [] });
      continue;
    }
    left -= 4 * total;
    const read = readValues(written, element, total);
    strays += read.strays;
    measurements.push({ ...named, ...read.measured });
  }
  return { measurements, strays };
}

function readValues(written: DataSet, element: DataElement, total: number) {
  const values = new Float32Array(new SharedArrayBuffer(4 * total)).fill(NaN);
  const valueAt = createNumberReader(written, element, 4);
  const list = written.element(Tag.AnnotationIndexList);
  const numberAt = list && createNumberReader(written, list, 'index');
  const stored = Math.floor(element.length / 4);
  const length = list === undefined ? stored : Math.min(stored, Math.floor(list.length / 4));
  let [count, strays, low, high] = [0, stored - length, Infinity, -Infinity];
  for (let at = 0; at < length; at += 1) {
    const number = numberAt === undefined ? at : numberAt(at) - 1;
    if (!(number >= 0 && number < total)) {
      strays += 1;
      continue;
    }
    const value = valueAt(at);
    if (!Number.isFinite(value)) continue;
    values[number] = value;
    count += 1;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const range: GroupMeasurement['range'] = count === 0 ? undefined : [low, high];
  return { measured: { values, count, range, bins: range === undefined ? [] : countBins(values, range) }, strays };
}

function countBins(values: Float32Array, range: readonly [number, number]): readonly number[] {
  const bins = new Uint32Array(DESCRIBED_BINS);
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    const bin = binOf(range, DESCRIBED_BINS, value);
    bins[bin]! += 1;
  }
  return [...bins];
}

function findColor(item: DataSet): AnnotationGroup['color'] {
  const [l, a, b] = item.numbers(Tag.RecommendedDisplayCIELabValue, 3);
  return l === undefined || a === undefined || b === undefined ? undefined : dicomCielabToRgb([l, a, b]);
}

function locateData(item: DataSet, { tag, offset }: DataElement, dimensions: 2 | 3): CoordinateData {
  const isDouble = tag === Tag.DoublePointCoordinatesData;
  const { littleEndian, source } = item.context;
  return { offset, isDouble, littleEndian, dimensions, isDeflated: source instanceof InflatedSource };
}

type GroupInput = {
  readonly element: DataElement;
  readonly data: CoordinateData;
  readonly shape: PointShape;
  /** Number of annotations in the groups before. */
  readonly start: number;
  readonly boxes: Boxes;
  readonly context: TaskContext;
};

/** Adds the boxes of a group. Returns the number of its annotations; those that cannot be drawn have no box. */
function addBoxes(item: DataSet, { element, data, shape, start, boxes, context }: GroupInput): number {
  const { dimensions, isDouble } = data;
  const points = Math.floor(element.length / ((isDouble ? 8 : 4) * dimensions));
  const reader = createNumberReader(item, element, isDouble ? 8 : 4);
  const each = POINTS_OF[shape];
  if (each !== undefined) {
    const count = Math.floor(points / each);
    for (let at = 0; at < count; at += 1) {
      if (at % 65_536 === 0) context.throwIfCancelled();
      boxes.add(reader, { place: start + at, first: at * each, count: each, dimensions });
    }
    return count;
  }
  const list = item.element(Tag.LongPrimitivePointIndexList);
  if (list === undefined) return 1;
  const starts = createNumberReader(item, list, 'index');
  const count = Math.floor(list.length / 4);
  // The list counts values from 1, and not points.
  const pointAt = (at: number) => (at === count ? points : (starts(at) - 1) / dimensions);
  for (let at = 0; at < count; at += 1) {
    if (at % 65_536 === 0) context.throwIfCancelled();
    const [first, end] = [pointAt(at), pointAt(at + 1)];
    const fits = Number.isInteger(first) && Number.isInteger(end) && first >= 0 && end > first && end <= points;
    if (fits) boxes.add(reader, { place: start + at, first, count: end - first, dimensions });
  }
  return count;
}

/** Reads numbers of an element by their place. Those that follow each other are read in pieces. */
type NumberReader = {
  (place: number): number;
  /** Numbers that follow each other, without reading them one by one; undefined if they are not stored as such. */
  span(place: number, count: number): Float32Array | undefined;
};

function createNumberReader(
  { context: { source, littleEndian } }: DataSet,
  { offset, length, bytes }: DataElement,
  form: 4 | 8 | 'index',
): NumberReader {
  const width = form === 8 ? 8 : 4;
  let [start, end] = [0, 0];
  let view: DataView = new DataView(new ArrayBuffer(0));
  let floats: Float32Array<ArrayBuffer> = new Float32Array(0);
  const take = (piece: Uint8Array<ArrayBuffer>, at: number) => {
    [start, end] = [at, at + piece.length];
    view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
    // The piece is a copy, so it begins at a multiple of four bytes.
    if (form === 4) floats = new Float32Array(piece.buffer, 0, piece.length >> 2);
  };
  if (bytes !== undefined) take(new Uint8Array(bytes), 0);
  /** Whether numbers that follow each other are in the piece, after reading another one if need be. */
  const has = (at: number, many: number): boolean => {
    if (at >= start && at + many <= end) return true;
    if (at + many > length || bytes !== undefined) return false;
    take(new Uint8Array(source.read(offset + at, Math.min(PIECE_BYTES, length - at))), at);
    return at + many <= end;
  };
  const numberAt = (place: number) => {
    const at = place * width;
    if (!has(at, width)) return NaN;
    if (form === 'index') return view.getUint32(at - start, littleEndian);
    return form === 8 ? view.getFloat64(at - start, littleEndian) : view.getFloat32(at - start, littleEndian);
  };
  return Object.assign(numberAt, {
    span(place: number, count: number) {
      const at = place * width;
      if (form !== 4 || !littleEndian || !has(at, count * width)) return undefined;
      const from = (at - start) >> 2;
      return from + count <= floats.length ? floats.subarray(from, from + count) : undefined;
    },
  });
}

type NewAnnotation = {
  readonly place: number;
  readonly first: number;
  readonly count: number;
  readonly dimensions: number;
};

type Boxes = ReturnType<typeof createBoxes>;

/** Lists that grow. */
function createBoxes(mostBytes: number) {
  let capacity = 1024;
  let columns = createLists(capacity);
  let length = 0;

  const grow = () => {
    if (length >= MOST_ANNOTATIONS || length * BYTES_PER_ANNOTATION > mostBytes) {
      const mb = (mostBytes / 1e6).toFixed(mostBytes < 1e7 ? 1 : 0);
      throw new ViewerError(
        'layer_too_large',
        `the annotations need more than the ${mb} MB that --memory leaves for them`,
      );
    }
    capacity *= 2;
    const larger = createLists(capacity);
    larger.boxes.set(columns.boxes);
    larger.places.set(columns.places);
    larger.firsts.set(columns.firsts);
    larger.counts.set(columns.counts);
    columns = larger;
  };

  return {
    length: () => length,
    /** Leaves it out if a coordinate is not a number. */
    add(numberAt: NumberReader, { place, first, count, dimensions }: NewAnnotation): void {
      let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
      // Not finite if a coordinate is not.
      let sum = 0;
      const numbers = numberAt.span(first * dimensions, count * dimensions);
      for (let at = 0; at < count; at += 1) {
        const own = at * dimensions;
        const x = numbers === undefined ? numberAt(first * dimensions + own) : numbers[own]!;
        const y = numbers === undefined ? numberAt(first * dimensions + own + 1) : numbers[own + 1]!;
        sum += x + y;
        if (x < left) left = x;
        if (x > right) right = x;
        if (y < top) top = y;
        if (y > bottom) bottom = y;
      }
      const isNear = left > -FARTHEST && top > -FARTHEST && right < FARTHEST && bottom < FARTHEST;
      if (!Number.isFinite(sum) || !isNear) return;
      if (length === capacity) grow();
      const { boxes, places, firsts, counts } = columns;
      boxes[4 * length] = left;
      boxes[4 * length + 1] = top;
      boxes[4 * length + 2] = right;
      boxes[4 * length + 3] = bottom;
      places[length] = place;
      firsts[length] = first;
      counts[length] = count;
      length += 1;
    },
    finish: (): Omit<AnnotationColumns, 'grid'> => ({ length, ...columns }),
  };
}

function createLists(capacity: number) {
  return {
    boxes: new Float32Array(4 * capacity),
    places: new Uint32Array(capacity),
    firsts: new Uint32Array(capacity),
    counts: new Uint32Array(capacity),
  };
}
