import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Rgb } from '../../../shared/cielab.ts';
import type { DataSet } from '../../dicom/dataSet.ts';
import { parseNumber } from '../../dicom/decodeValue.ts';
import { readDicom } from '../../dicom/readDataSet.ts';
import * as Tag from '../../dicom/tag.ts';
import { type KnownSource, withSame } from '../../origins/origins.ts';
import { measureContours } from './measureContours.ts';
import {
  CONTOUR_TYPES,
  type ContourColumns,
  isPoint,
  type LeftOut,
  type StructureSetRoi,
  type StructureSetRecord,
} from './structureSetRecord.ts';

/** More points than a page can draw, whatever the memory. */
export const MOST_POINTS = 8_000_000;
const MOST_ROIS = 4096;
/** Bytes of Contour Data that are decoded at a time. */
const PIECE_BYTES = 64 * 1024;

/** Implements `readStructureSetTask`. Points are read from the file contour by contour, after they have been counted. */
export function readStructureSet(file: KnownSource): StructureSetRecord {
  return withSame(file, (source) => {
    const { dataSet, flags } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: { element: (_, tag) => WANTED.has(tag), item: () => true },
      limits: { maxElements: 1_000_000 },
      maxValueBytes: 256,
      measure: false,
    });
    const rois = listRois(dataSet);
    const found = listContours(dataSet, rois);
    const contours = readPoints(found.contours);
    const measured = measureContours(contours, rois.length);
    return {
      rois: rois.map((roi, at): StructureSetRoi => ({ ...roi, ...measured.rois[at]! })),
      contours: { ...contours, shapes: measured.shapes, reaches: measured.reaches, halves: measured.halves },
      leftOut: found.leftOut,
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

type FoundContour = { readonly item: DataSet; readonly roi: number; readonly type: number; readonly values: number };

function listContours(dataSet: DataSet, rois: readonly NamedRoi[]) {
  const places = new Map(rois.map(({ number }, at) => [number, at] as const));
  const contours: FoundContour[] = [];
  const leftOut = new Map<string, LeftOut>();
  const leave = (roi: number | undefined, reason: string) => {
    const key = `${roi} ${reason}`;
    leftOut.set(key, { roi, reason, count: (leftOut.get(key)?.count ?? 0) + 1 });
  };
  let points = 0;
  for (const ofRoi of dataSet.items(Tag.ROIContourSequence)) {
    const number = ofRoi.number(Tag.ReferencedROINumber);
    const roi = number === undefined ? undefined : places.get(number);
    for (const item of ofRoi.items(Tag.ContourSequence)) {
      const type = findType(item);
      // Counted in the bytes that exist; Number of Contour Points may disagree with them.
      const values = item.count(Tag.ContourData);
      if (roi === undefined) leave(undefined, 'the contours belong to no ROI that the object describes');
      else if (type < 0) leave(number, 'the type of the contours is not one of the standard');
      else if (values < 3) leave(number, 'the contours have no points');
      else contours.push({ item, roi, type, values });
      points += Math.floor(values / 3);
      if (points > MOST_POINTS) {
        throw new ViewerError('layer_too_large', `the contours have more than ${MOST_POINTS} points`);
      }
    }
  }
  return { contours, leftOut: [...leftOut.values()] };
}

/** Writers leave the type out, or write CLOSED_PLANAR with other separators. */
function findType(item: DataSet): number {
  const written = item.string(Tag.ContourGeometricType)?.trim().toUpperCase().replaceAll(/[ -]/g, '_');
  if (written === undefined) return -1;
  return CONTOUR_TYPES.findIndex(
    (type) => type === written || type === written.replace('CLOSED_PLANAR_', 'CLOSEDPLANAR_'),
  );
}

type PointColumns = Omit<ContourColumns, 'shapes' | 'reaches' | 'halves'>;

function readPoints(found: readonly FoundContour[]): PointColumns {
  const most = found.reduce((sum, { values }) => sum + Math.floor(values / 3), 0);
  const points = new Float32Array(new SharedArrayBuffer(most * 12));
  const starts = new Uint32Array(new SharedArrayBuffer(4 * (found.length + 1)));
  const roiOf = new Uint32Array(new SharedArrayBuffer(4 * found.length));
  const types = new Uint8Array(new SharedArrayBuffer(found.length));
  let end = 0;
  for (const [at, { item, roi, type }] of found.entries()) {
    starts[at] = end;
    roiOf[at] = roi;
    types[at] = type;
    end += readContour(item, points.subarray(end * 3), type);
  }
  starts[found.length] = end;
  return { length: found.length, points, starts, roiOf, types };
}

/** Returns the number of points. One with a coordinate that is not a number is left out, and so is the repeated first. */
function readContour(item: DataSet, points: Float32Array, type: number): number {
  let [count, axis] = [0, 0];
  let isWhole = true;
  eachNumber(item, (value) => {
    if (count * 3 + axis >= points.length) return;
    points[count * 3 + axis] = value;
    isWhole &&= Number.isFinite(value) && Math.abs(value) < FARTHEST_MM;
    axis += 1;
    if (axis < 3) return;
    if (isWhole) count += 1;
    [axis, isWhole] = [0, true];
  });
  const last = (count - 1) * 3;
  const repeats = count > 1 && !isPoint(type) && [0, 1, 2].every((one) => points[one] === points[last + one]);
  return repeats && type >= CONTOUR_TYPES.indexOf('CLOSED_PLANAR') ? count - 1 : count;
}

const FARTHEST_MM = 1e6;

/** Decodes text piece by piece, so that no list of all values is made. */
function eachNumber(item: DataSet, take: (value: number) => void): void {
  const element = item.element(Tag.ContourData);
  if (element === undefined) return;
  const { source } = item.context;
  let rest = '';
  for (let at = 0; at < element.length; at += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, element.length - at);
    const piece = element.bytes?.subarray(at, at + length) ?? source.read(element.offset + at, length);
    if (piece.length === 0) break;
    const texts = (rest + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1')).split('\\');
    rest = (texts.pop() ?? '').slice(-MOST_DIGITS);
    for (const text of texts) take(toNumber(text));
  }
  take(toNumber(rest));
}

const MOST_DIGITS = 64;

/** Most numbers are plain, and `Number` is much faster than the check of all forms. */
function toNumber(text: string): number {
  const value = Number(text);
  return value === 0 || Number.isNaN(value) ? parseNumber(text.replaceAll('\0', ' ')) : value;
}
