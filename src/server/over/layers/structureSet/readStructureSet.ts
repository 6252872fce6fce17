import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { Rgb } from '../../../../shared/cielab.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { parseNumber } from '../../../standard/dicom/decodeValue.ts';
import { readDicom } from '../../../standard/dicom/readDataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { withSame } from '../../../bytes/origins/origins.ts';
import { MOST_LAYER_SPACES } from '../layerProvider.ts';
import { measureContours } from './measureContours.ts';
import {
  CONTOUR_TYPES,
  type ContourColumns,
  isClosed,
  listSetSpaces,
  share,
  type LeftOut,
  type StructureSetRoi,
  type StructureSetRecord,
  tooLarge,
} from './structureSetRecord.ts';
import type { ReadSpatialInput } from '../spatial/spatialLayers.ts';

/** More points than a page can draw, whatever the memory. */
export const MOST_POINTS = 8_000_000;
const BYTES_PER_POINT = 12;
const MOST_ROIS = 4096;
/** Bytes of Contour Data that are read at a time. */
const PIECE_BYTES = 64 * 1024;

/** Implements `readStructureSetTask`. */
export function readStructureSet({ source: file, mostBytes }: ReadSpatialInput): StructureSetRecord {
  return withSame(file, (source) => {
    const { dataSet, flags } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: { element: (_, tag) => WANTED.has(tag), item: () => true },
      limits: { maxElements: 1_000_000 },
      maxValueBytes: 256,
      measure: false,
    });
    const rois = listRois(dataSet);
    const { contours, leftOut } = readContours(dataSet, rois, mostBytes);
    const { rois: measured, ...shaped } = measureContours(contours, rois.length);
    return {
      rois: rois.map((roi, at): StructureSetRoi => ({ ...roi, ...measured[at]! })),
      contours: { ...contours, ...shaped },
      leftOut,
      isCut: flags.some(({ code }) => code === 'element_limit' || code === 'byte_limit' || code === 'truncated'),
    };
  });
}

const WANTED: ReadonlySet<number> = new Set([
  Tag.SpecificCharacterSet,
  Tag.FrameOfReferenceUID,
  Tag.ReferencedFrameOfReferenceSequence,
  Tag.StructureSetROISequence,
  Tag.ROINumber,
  Tag.ReferencedFrameOfReferenceUID,
  Tag.ROIName,
  Tag.ROIDescription,
  Tag.ROIContourSequence,
  Tag.ROIDisplayColor,
  Tag.ContourSequence,
  Tag.ContourGeometricType,
  Tag.ContourData,
  Tag.RTROIObservationsSequence,
  Tag.ReferencedROINumber,
  Tag.RTROIInterpretedType,
]);

type NamedRoi = Pick<
  StructureSetRoi,
  'number' | 'name' | 'description' | 'interpretedType' | 'color' | 'frameOfReferenceUid'
>;

/** The three sequences are joined by ROI Number, because their order differs. */
function listRois(dataSet: DataSet): NamedRoi[] {
  const types = new Map<number, string>();
  for (const item of dataSet.items(Tag.RTROIObservationsSequence)) {
    const [number, type] = [item.number(Tag.ReferencedROINumber), item.string(Tag.RTROIInterpretedType)];
    if (number !== undefined && type !== undefined) types.set(number, type);
  }
  const colors = new Map<number, Rgb>();
  for (const item of dataSet.items(Tag.ROIContourSequence)) {
    const number = item.number(Tag.ReferencedROINumber);
    const color = toColor(item.numbers(Tag.ROIDisplayColor, 4));
    if (number !== undefined && color !== undefined) colors.set(number, color);
  }
  const common = findCommonFrame(dataSet);
  const rois = new Map<number, NamedRoi>();
  for (const item of dataSet.items(Tag.StructureSetROISequence)) {
    const number = item.number(Tag.ROINumber);
    if (number === undefined || rois.has(number) || rois.size === MOST_ROIS) continue;
    rois.set(number, {
      number,
      name: item.string(Tag.ROIName),
      description: item.string(Tag.ROIDescription),
      interpretedType: types.get(number),
      color: colors.get(number),
      frameOfReferenceUid: item.string(Tag.ReferencedFrameOfReferenceUID) ?? common,
    });
  }
  return [...rois.values()];
}

/** For a ROI that names no frame of reference: that of the object, or the only one that the object lists. */
function findCommonFrame(dataSet: DataSet): string | undefined {
  const own = dataSet.string(Tag.FrameOfReferenceUID);
  if (own !== undefined) return own;
  const items = dataSet.items(Tag.ReferencedFrameOfReferenceSequence);
  const listed = new Set(items.flatMap((item) => item.string(Tag.FrameOfReferenceUID) ?? []));
  return listed.size === 1 ? [...listed][0] : undefined;
}

function toColor(numbers: readonly number[]): Rgb | undefined {
  const [red = NaN, green = NaN, blue = NaN] = numbers;
  const color: Rgb = [red, green, blue];
  return numbers.length === 3 && color.every((part) => part >= 0 && part <= 255) ? color : undefined;
}

type ReadContours = { readonly contours: PointColumns; readonly leftOut: readonly LeftOut[] };

/** Reads the points of one contour after the other, so that each part of the file is read once. */
function readContours(dataSet: DataSet, rois: readonly NamedRoi[], mostBytes: number): ReadContours {
  const places = new Map(rois.map(({ number }, at) => [number, at] as const));
  const columns = createColumns(mostBytes);
  const leftOut = new Map<string, LeftOut>();
  const leave = (roi: number | undefined, reason: string) => {
    const key = `${roi} ${reason}`;
    leftOut.set(key, { roi, reason, count: (leftOut.get(key)?.count ?? 0) + 1 });
  };
  const reader = createPointReader((x, y, z) => columns.add(x, y, z));
  const spaces = new Set(listSetSpaces(rois));
  const isBeyond = ({ frameOfReferenceUid: uid }: NamedRoi) => uid !== undefined && !spaces.has(uid);
  for (const ofRoi of dataSet.items(Tag.ROIContourSequence)) {
    const number = ofRoi.number(Tag.ReferencedROINumber);
    const roi = number === undefined ? undefined : places.get(number);
    for (const item of ofRoi.items(Tag.ContourSequence)) {
      const type = findType(item);
      if (roi === undefined) leave(undefined, 'the contours belong to no ROI that the object describes');
      else if (isBeyond(rois[roi]!))
        leave(number, `the ROIs are in more than ${MOST_LAYER_SPACES} frames of reference`);
      else if (type < 0) leave(number, 'the type of the contours is not one of the standard');
      else {
        // Number of Contour Points may disagree with the data.
        reader.read(item);
        if (!columns.endContour(roi, type)) leave(number, 'the contours have no points');
      }
    }
  }
  return { contours: columns.finish(), leftOut: [...leftOut.values()] };
}

/** Writers leave the type out, or write CLOSED_PLANAR with other separators. */
function findType(item: DataSet): number {
  const written = item.string(Tag.ContourGeometricType)?.trim().toUpperCase().replaceAll(/[ -]/g, '_');
  if (written === undefined) return -1;
  return CONTOUR_TYPES.findIndex(
    (type) => type === written || type === written.replace('CLOSED_PLANAR_', 'CLOSEDPLANAR_'),
  );
}

type PointColumns = Omit<ContourColumns, 'shapes' | 'reaches' | 'slabs' | 'depths'>;

/** Lists that grow; shared memory cannot, so that they are copied once at the end. */
function createColumns(mostBytes: number) {
  const most = Math.min(MOST_POINTS, Math.ceil(mostBytes / BYTES_PER_POINT));
  let points = new Float32Array(3 * Math.min(1024, most));
  const starts: number[] = [];
  const roiOf: number[] = [];
  const types: number[] = [];
  let [start, end] = [0, 0];
  return {
    add(x: number, y: number, z: number): void {
      if (3 * end === points.length) {
        if (end >= MOST_POINTS) {
          throw new ViewerError('layer_too_large', `the contours have more than ${MOST_POINTS} points`);
        }
        if (end >= most) throw tooLarge(mostBytes);
        const larger = new Float32Array(3 * Math.min(2 * end, most));
        larger.set(points);
        points = larger;
      }
      points[3 * end] = x;
      points[3 * end + 1] = y;
      points[3 * end + 2] = z;
      end += 1;
    },
    /** Makes a contour of the points that were added; false if there are none. */
    endContour(roi: number, type: number): boolean {
      if (end === start) return false;
      const [first, last] = [3 * start, 3 * (end - 1)];
      const repeats = isClosed(type) && [0, 1, 2].every((axis) => points[first + axis] === points[last + axis]);
      // The first point again at the end is not a corner of its own.
      if (repeats && last > first) end -= 1;
      starts.push(start);
      roiOf.push(roi);
      types.push(type);
      start = end;
      return true;
    },
    finish(): PointColumns {
      return {
        length: types.length,
        points: share(Float32Array, points.subarray(0, 3 * end)),
        starts: share(Uint32Array, [...starts, end]),
        roiOf: share(Uint32Array, roiOf),
        types: share(Uint8Array, types),
      };
    },
  };
}

const FARTHEST_MM = 1e6;
const BACKSLASH = 0x5c;

/** Reads the values of Contour Data as points. One with a coordinate that is not a number is left out. */
function createPointReader(add: (x: number, y: number, z: number) => void) {
  const point = [0, 0, 0];
  let axis = 0;
  // The beginning of a value at the end of a piece.
  const rest = new Uint8Array(MOST_DIGITS);
  let restLength = 0;

  function take(value: number): void {
    point[axis] = value;
    axis += 1;
    if (axis < 3) return;
    axis = 0;
    const [x = 0, y = 0, z = 0] = point;
    // False for what is not a number, too.
    if (Math.abs(x) < FARTHEST_MM && Math.abs(y) < FARTHEST_MM && Math.abs(z) < FARTHEST_MM) add(x, y, z);
  }
  function keep(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, MOST_DIGITS - restLength);
    rest.set(kept, restLength);
    restLength += kept.length;
  }
  function takeRest(): void {
    take(restLength < MOST_DIGITS ? parseDecimal(rest, 0, restLength) : NaN);
    restLength = 0;
  }
  function takePiece(bytes: Uint8Array): void {
    let from = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if (bytes[at] !== BACKSLASH) continue;
      if (restLength > 0) {
        keep(bytes.subarray(from, at));
        takeRest();
      } else take(parseDecimal(bytes, from, at));
      from = at + 1;
    }
    keep(bytes.subarray(from));
  }
  return {
    read(item: DataSet): void {
      const element = item.element(Tag.ContourData);
      axis = 0;
      restLength = 0;
      if (element === undefined) return;
      for (let at = 0; at < element.length; at += PIECE_BYTES) {
        const length = Math.min(PIECE_BYTES, element.length - at);
        const piece = element.bytes?.subarray(at, at + length) ?? item.context.source.read(element.offset + at, length);
        if (piece.length === 0) break;
        takePiece(piece);
      }
      takeRest();
    },
  };
}

/** Longer values are no numbers. */
const MOST_DIGITS = 64;
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
const [SPACE, PLUS, MINUS, POINT, ZERO] = [0x20, 0x2b, 0x2d, 0x2e, 0x30];
/** A number of this many digits is exact, and so is the quotient with a power of ten. */
const EXACT_DIGITS = 15;

/** A Decimal String in bytes. Plain numbers, which are nearly all, need no text. */
export function parseDecimal(bytes: Uint8Array, from: number, to: number): number {
  let [at, end] = [from, to];
  while (at < end && bytes[at] === SPACE) at += 1;
  while (at < end && (bytes[end - 1] === SPACE || bytes[end - 1] === 0)) end -= 1;
  if (at === end) return NaN;
  const isNegative = bytes[at] === MINUS;
  if (isNegative || bytes[at] === PLUS) at += 1;
  let [digits, mantissa, decimals] = [0, 0, -1];
  for (; at < end; at += 1) {
    const digit = bytes[at]! - ZERO;
    if (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit;
      digits += 1;
      if (decimals >= 0) decimals += 1;
    } else if (bytes[at] === POINT && decimals < 0) decimals = 0;
    else return parseText(bytes, from, to);
  }
  if (digits === 0 || digits > EXACT_DIGITS) return parseText(bytes, from, to);
  const value = decimals > 0 ? mantissa / POWERS[decimals]! : mantissa;
  return isNegative ? -value : value;
}

function parseText(bytes: Uint8Array, from: number, to: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
  const value = Number(text);
  // An empty text is 0 for `Number`.
  return value === 0 || Number.isNaN(value) ? parseNumber(text.replaceAll('\0', ' ')) : value;
}
