import { buildOrientation, dot, normalOf, type PlaneOrientation, type Vector3 } from '../../../shared/geometry.ts';
import type { DataSet } from '../dicom/dataSet.ts';
import { findPrivateTag, type PrivateElement, readPrivateNumbers } from '../dicom/privateElement.ts';
import { MOST_CSA_BYTES, readCsaHeader } from '../dicom/readCsaHeader.ts';
import * as Tag from '../dicom/tag.ts';
import { checkNumbers, readOrientation, readPosition } from './framePlace.ts';
import { isMosaicImage } from './mosaicType.ts';

/** Slices that one image shows side by side. */
export type Mosaic = {
  /** Of a slice. */
  readonly rows: number;
  readonly columns: number;
  /** Slices in a row of the image. */
  readonly across: number;
  readonly orientation: PlaneOrientation;
  /** Centre of the first sample of each slice, three coordinates. */
  readonly points: readonly Vector3[];
  readonly spacingMm: readonly [number, number];
};

/** Nothing says more slices in one image. */
const MOST_SLICES = 4_096;
/** The vendor's normal and that of the orientation are one line. */
const PARALLEL = 0.999;
/** A position may be this part of the distance of slices away from one that a protocol names. */
const SAME_PLACE = 0.25;

const CSA_IMAGE: PrivateElement = { creator: 'SIEMENS CSA HEADER', group: 0x0029, element: 0x10 };
const CSA_SERIES: PrivateElement = { creator: 'SIEMENS CSA HEADER', group: 0x0029, element: 0x20 };
const SIEMENS_COUNT: PrivateElement = { creator: 'SIEMENS MR HEADER', group: 0x0019, element: 0x0a };
const SIEMENS_XA_COUNT: PrivateElement = { creator: 'SIEMENS MR SDI 02', group: 0x0021, element: 0x01 };
const SIEMENS_XA_NORMAL: PrivateElement = { creator: 'SIEMENS MR SDI 02', group: 0x0021, element: 0x02 };
const UIH_COUNT: PrivateElement = { creator: 'Image Private Header', group: 0x0065, element: 0x50 };
const UIH_SLICES: PrivateElement = { creator: 'Image Private Header', group: 0x0065, element: 0x51 };

const IMAGE_NAMES: ReadonlySet<string> = new Set(['NumberOfImagesInMosaic', 'SliceNormalVector']);
const SERIES_NAMES: ReadonlySet<string> = new Set(['MrPhoenixProtocol', 'MrProtocol']);

/**
 * The slices of a mosaic, why they cannot be found, or undefined if the image is none. Of Siemens, Image Position (Patient)
 * is that of the corner of the whole mosaic as if it were one slice, so the slices lie half of what is more than one slice
 * farther along rows and columns; they follow each other along SliceNormalVector of the CSA header. Of United Imaging, each
 * slice has a position of its own.
 */
export function readMosaic(
  dataSet: DataSet,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): Mosaic | { readonly problem: string } | undefined {
  const csa = readCsaItems(dataSet, CSA_IMAGE, IMAGE_NAMES);
  const uih = readCount(readPrivateNumbers(dataSet, UIH_COUNT, 'DS', 1)[0]);
  const counts = [
    readCount(Number(csa?.get('NumberOfImagesInMosaic')?.[0])),
    readCount(readPrivateNumbers(dataSet, SIEMENS_COUNT, 'US', 1)[0]),
    readCount(readPrivateNumbers(dataSet, SIEMENS_XA_COUNT, 'US', 1)[0]),
  ].filter((count) => count !== undefined);
  const [count = uih] = counts;
  const isNamed = isMosaicImage(dataSet);
  if (!isNamed && (count ?? 1) === 1) return undefined;
  if (count === undefined) {
    return {
      problem:
        'the number of its slices is not given: neither NumberOfImagesInMosaic in a CSA header (0029,xx10), nor (0019,xx0A), ' +
        '(0021,xx01) of Siemens, nor (0065,xx50) of United Imaging',
    };
  }
  if (counts.some((other) => other !== count)) return { problem: `its headers name ${counts.join(' and ')} slices` };
  if (count > MOST_SLICES) return { problem: `it would have ${count} slices` };
  const across = Math.ceil(Math.sqrt(count));
  const down = counts.length > 0 ? across : Math.ceil(count / across);
  if (rows % down !== 0 || columns % across !== 0) {
    return {
      problem: `${count} slices are ${down} rows of ${across}, which ${rows} rows and ${columns} columns of samples are no multiple of`,
    };
  }
  const orientation = buildOrientation(checkNumbers(readOrientation(dataSet), 6));
  if (orientation === undefined) return { problem: 'it has no valid Image Orientation (Patient) (0020,0037)' };
  const spacing = dataSet.numbers(Tag.PixelSpacing, 3);
  const [rowMm = NaN, columnMm = NaN] = spacing;
  if (spacing.length !== 2 || !(rowMm > 0) || !(columnMm > 0)) {
    return { problem: 'it has no valid Pixel Spacing (0028,0030)' };
  }
  const shape = { rows: rows / down, columns: columns / across, across };
  const common = { ...shape, orientation, spacingMm: [rowMm, columnMm] as const };
  if (counts.length === 0) {
    const points = readUihPoints(dataSet, count);
    return 'problem' in points ? points : { ...common, points };
  }
  const corner = checkNumbers(readPosition(dataSet), 3);
  if (corner === undefined) return { problem: 'it has no valid Image Position (Patient) (0020,0032)' };
  const downMm = ((rows - shape.rows) / 2) * rowMm;
  const alongMm = ((columns - shape.columns) / 2) * columnMm;
  const { rowDirection, columnDirection } = orientation;
  const first = corner.map((mm, axis) => mm + alongMm * rowDirection[axis]! + downMm * columnDirection[axis]!);
  if (count === 1) return { ...common, points: [toVector(first)] };
  const step = findStep(dataSet, { csa, orientation, count, atMm: dot(normalOf(orientation), toVector(first)) });
  if ('problem' in step) return step;
  const points = Array.from({ length: count }, (_, k) => toVector(first.map((mm, axis) => mm + k * step.mm[axis]!)));
  return { ...common, points };
}

function readCount(count: number | undefined): number | undefined {
  return count !== undefined && Number.isInteger(count) && count > 0 ? count : undefined;
}

function toVector([x = NaN, y = NaN, z = NaN]: readonly number[]): Vector3 {
  return [x, y, z];
}

type CsaItems = ReadonlyMap<string, readonly string[]>;

function readCsaItems(dataSet: DataSet, element: PrivateElement, names: ReadonlySet<string>): CsaItems | undefined {
  const tag = findPrivateTag(dataSet, element);
  const bytes = tag === undefined ? undefined : dataSet.bytes(tag, MOST_CSA_BYTES);
  return bytes && readCsaHeader(bytes, names).items;
}

type StepContext = {
  readonly csa: CsaItems | undefined;
  readonly orientation: PlaneOrientation;
  readonly count: number;
  /** Of the first slice, along the normal of the orientation. */
  readonly atMm: number;
};

/** From one slice to the next one. */
function findStep(dataSet: DataSet, context: StepContext): { readonly mm: Vector3 } | { readonly problem: string } {
  const { csa, orientation } = context;
  const normal = normalOf(orientation);
  const written = csa?.get('SliceNormalVector')?.map(Number) ?? [];
  const told = checkNumbers(written, 3) ?? checkNumbers(readPrivateNumbers(dataSet, SIEMENS_XA_NORMAL, 'FD', 4), 3);
  const protocol = readProtocol(dataSet, context);
  const declaredMm = dataSet.number(Tag.SpacingBetweenSlices) ?? NaN;
  const spacingMm = declaredMm > 0 ? declaredMm : protocol === undefined ? NaN : Math.abs(protocol.stepMm);
  if (!(spacingMm > 0)) return { problem: 'it has no valid Spacing Between Slices (0018,0088)' };
  const cosine = told && dot(normal, toVector(told));
  if (cosine !== undefined && !(Math.abs(cosine) > PARALLEL && Math.abs(cosine) < 2 - PARALLEL)) {
    return { problem: 'its SliceNormalVector is not perpendicular to its Image Orientation (Patient) (0020,0037)' };
  }
  const sign = Math.sign(cosine ?? protocol?.stepMm ?? 0);
  if (sign === 0) {
    return {
      problem:
        'the side to which its slices follow each other is not given: SliceNormalVector is neither in a CSA header (0029,xx10) ' +
        'nor in (0021,xx02), and no protocol in (0029,xx20) has the positions of the slices',
    };
  }
  const [x, y, z] = normal;
  const mm = sign * spacingMm;
  return { mm: [x * mm, y * mm, z * mm] };
}

const PROTOCOL_LINE = /^sSliceArray\.(?:lSize|asSlice\[(\d{1,4})\]\.sPosition\.d(Sag|Cor|Tra))\s*=\s*(\S+)/;

/**
 * The distance from slice to slice by the protocol in the CSA header of the series, which has the centre of each slice in
 * the order of the scanner. That of the mosaic is the same or the opposite one: its first slice decides.
 */
function readProtocol(
  dataSet: DataSet,
  { orientation, count, atMm }: StepContext,
): { readonly stepMm: number } | undefined {
  const items = readCsaItems(dataSet, CSA_SERIES, SERIES_NAMES);
  const text = items?.get('MrPhoenixProtocol')?.[0] ?? items?.get('MrProtocol')?.[0];
  if (text === undefined) return undefined;
  const [, body = ''] = text.split('### ASCCONV BEGIN', 2);
  const ends = new Map<number, [number, number, number]>([
    [0, [0, 0, 0]],
    [count - 1, [0, 0, 0]],
  ]);
  let size: number | undefined;
  for (const line of body.split('\n')) {
    const [, slice, axis, value = ''] = PROTOCOL_LINE.exec(line) ?? [];
    if (slice !== undefined && axis !== undefined) {
      const end = ends.get(Number(slice));
      if (end !== undefined) end[['Sag', 'Cor', 'Tra'].indexOf(axis)] = Number(value);
    } else if (value !== '') size = Number(value);
  }
  if (size !== count) return undefined;
  const normal = normalOf(orientation);
  const [firstMm, lastMm] = [ends.get(0)!, ends.get(count - 1)!].map((center) => dot(normal, center));
  const stepMm = (lastMm! - firstMm!) / (count - 1);
  const isAt = (mm: number) => Math.abs(mm - atMm) < SAME_PLACE * Math.abs(stepMm);
  if (isAt(firstMm!)) return { stepMm };
  return isAt(lastMm!) ? { stepMm: -stepMm } : undefined;
}

function readUihPoints(dataSet: DataSet, count: number): readonly Vector3[] | { readonly problem: string } {
  const tag = findPrivateTag(dataSet, UIH_SLICES);
  const items = tag === undefined ? [] : dataSet.items(tag);
  if (items.length !== count) {
    return {
      problem: `the sequence (0065,xx51) has ${items.length} items with positions, and there are ${count} slices`,
    };
  }
  const points = items.map((item) => checkNumbers(readPosition(item), 3));
  const placed = points.filter((point) => point !== undefined);
  if (placed.length < count)
    return { problem: 'an item of (0065,xx51) has no valid Image Position (Patient) (0020,0032)' };
  return placed.map(toVector);
}
