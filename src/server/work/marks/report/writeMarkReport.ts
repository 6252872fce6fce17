import type { Quantity, QuantityName } from '../../../../shared/markMeasures.ts';
import { hasOutline, type MeasureName, traitsOf } from '../../../../shared/markTraits.ts';
import { type Scale, SCALE_TERMS } from '../../../../shared/pixelScale.ts';
import { type CodeTriplet, codeSequence } from '../../../standard/dicom/codeSequence.ts';
import type { DataSetInput } from '../../../standard/dicom/dataSetInput.ts';
import { readDicom } from '../../../standard/dicom/readDataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { writeDicom } from '../../../standard/dicom/writeDicom.ts';
import { ContentCode } from '../../../standard/contentTree/contentCodes.ts';
import {
  codeContent,
  failedNumberContent,
  container,
  measurementContainer,
  numberContent,
  reportContext,
  textContent,
  trackingContent,
} from '../../../standard/contentTree/writtenItems.ts';
import { withSame } from '../../../bytes/origins/origins.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { createUid } from '../createUid.ts';
import { deriveObject, requireUids, toDecimal, toLongText, toShortText } from '../derivedObject.ts';
import { drawnVolumeMl } from '../formats/drawnVolume.ts';
import {
  boundsOfPoints,
  caveatsOfOutline,
  measureOutline,
  scaleOfMark,
  toPatient,
  toPolygon,
} from '../formats/formatShapes.ts';
import type { MarkToWrite } from '../formats/formatTasks.ts';
import { listFrameOutlines } from '../formats/frameOutlines.ts';
import type { ReportedImage, WriteMarkReportInput } from './markReportTask.ts';

const COMPREHENSIVE_3D_SR = '1.2.840.10008.5.1.4.1.1.88.34';
const ML: CodeTriplet = ['ml', 'UCUM', 'milliliter'];
/** The unit of each quantity. Pixels have no unit in UCUM, which allows words in braces for what is counted. */
const UNITS: Readonly<Record<Quantity['unit'], CodeTriplet>> = {
  mm: ['mm', 'UCUM', 'millimeter'],
  'mm²': ['mm2', 'UCUM', 'square millimeter'],
  '°': ['deg', 'UCUM', 'degree'],
  px: ['{pixels}', 'UCUM', 'pixels'],
  'px²': ['{square_pixels}', 'UCUM', 'square pixels'],
  s: ['s', 'UCUM', 'second'],
  'cm/s': ['cm/s', 'UCUM', 'centimeter per second'],
  Hz: ['Hz', 'UCUM', 'hertz'],
  cm: ['cm', 'UCUM', 'centimeter'],
};
const LENGTH: CodeTriplet = ['410668003', 'SCT', 'Length'];
const LONG_AXIS: CodeTriplet = ['103339001', 'SCT', 'Long axis'];
const SHORT_AXIS: CodeTriplet = ['103340004', 'SCT', 'Short axis'];
const ANGLE: CodeTriplet = ['1483009', 'SCT', 'Angle'];
const COBB_ANGLE: CodeTriplet = ['285285000', 'SCT', 'Cobb angle'];
const COMMENT: CodeTriplet = ['121106', 'DCM', 'Comment'];
const AREA: CodeTriplet = ['42798000', 'SCT', 'Area'];
const VOLUME: CodeTriplet = ['118565006', 'SCT', 'Volume'];
/** For what no standard has a code. */
const OWN_SCHEME = '99NEGATO';
const IMAGE_REGION: CodeTriplet = ['111030', 'DCM', 'Image Region'];

/** Implements `writeMarkReportTask`: a measurement report, PS3.16 TID 1500, with a group for each mark. */
export function writeMarkReport(input: WriteMarkReportInput, { transfer }: Pick<TaskContext, 'transfer'>) {
  const { source, images, marks, software } = input;
  for (const image of images) {
    requireUids({
      'Series Instance UID': image.seriesInstanceUid,
      'SOP Instance UID': image.sopInstanceUid,
      'SOP Class UID': image.sopClassUid,
    });
  }
  for (const { uid } of marks) requireUids({ 'uid of a mark': uid });
  const common = withSame(source, (opened) =>
    deriveObject(readDicom(opened, { until: Tag.FloatPixelData }).dataSet, software),
  );
  const file = writeDicom({
    ...common,
    SOPClassUID: COMPREHENSIVE_3D_SR,
    Modality: 'SR',
    ReferencedPerformedProcedureStepSequence: [],
    PerformedProcedureCodeSequence: [],
    CompletionFlag: 'PARTIAL',
    VerificationFlag: 'UNVERIFIED',
    CurrentRequestedProcedureEvidenceSequence: listEvidence(images),
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: codeSequence(['126000', 'DCM', 'Imaging Measurement Report']),
    ContinuityOfContent: 'SEPARATE',
    ContentTemplateSequence: [{ MappingResource: 'DCMR', TemplateIdentifier: '1500' }],
    ContentSequence: [
      ...reportContext(createUid(), ['363679005', 'SCT', 'Imaging procedure']),
      container(
        ['126010', 'DCM', 'Imaging Measurements'],
        marks.map((mark) => toGroup(mark, images)),
      ),
    ],
  });
  const bytes = new Uint8Array(file.length);
  bytes.set(file);
  return transfer(bytes);
}

function listEvidence(images: readonly ReportedImage[]): DataSetInput[] {
  const series = new Map<string, ReportedImage[]>();
  for (const image of images)
    series.set(image.seriesInstanceUid, [...(series.get(image.seriesInstanceUid) ?? []), image]);
  return [
    {
      StudyInstanceUID: images[0]?.studyInstanceUid ?? '',
      ReferencedSeriesSequence: Array.from(series, ([uid, instances]) => ({
        SeriesInstanceUID: uid,
        ReferencedSOPSequence: instances.map(toInstance),
      })),
    },
  ];
}

function toInstance({ sopClassUid, sopInstanceUid }: ReportedImage): DataSetInput {
  return { ReferencedSOPClassUID: sopClassUid, ReferencedSOPInstanceUID: sopInstanceUid };
}

function toGroup(mark: MarkToWrite, images: readonly ReportedImage[]): DataSetInput {
  const { content, uid, labelClass } = mark;
  const { kind, place, comment } = content;
  const name =
    toShortText(content.label) || toShortText(labelClass?.title ?? '') || toShortText(content.class ?? '') || kind;
  const finding = labelClass?.type;
  const head = [
    ...trackingContent(name, uid),
    ...(finding
      ? [codeContent('CONTAINS', ContentCode.Finding, [finding.value, finding.scheme, toShortText(finding.meaning)])]
      : []),
    ...(comment === '' ? [] : [textContent('CONTAINS', COMMENT, toLongText(comment))]),
  ];
  if (place.type === 'stack') {
    const volumeMl = drawnVolumeMl(mark);
    const volume = volumeMl === undefined ? [] : [numberContent(VOLUME, { value: toDecimal(volumeMl), unit: ML })];
    return measurementContainer('1411', [...head, ...listRegions(mark, images), ...volume]);
  }
  const { scale } = scaleOfMark(mark, 0, content.points);
  const quantities = measureOutline(kind, content.points, scale);
  const toNumber = ({ name: what, unit, value }: Quantity, on: readonly DataSetInput[]) =>
    numberContent(
      CONCEPTS[traitsOf(kind).measures]?.[what] ?? CONCEPT_OF[what],
      { value: toDecimal(value), unit: UNITS[unit] },
      [...(what === 'angle' ? [] : listCaveats(mark, scale)), ...on],
    );
  if (hasOutline(kind) || traitsOf(kind).shape === 'point') {
    const region = { ...toRegion(mark, images, content.points), RelationshipType: 'CONTAINS' };
    return measurementContainer('1410', [
      ...head,
      { ...region, ConceptNameCodeSequence: codeSequence(IMAGE_REGION) },
      ...quantities.map((one) => toNumber(one, [])),
      ...caveatsOfOutline(kind, content.points).flatMap((caveat) => [
        failedNumberContent(AREA),
        textContent('CONTAINS', COMMENT, caveat),
      ]),
    ]);
  }
  const inferred = quantities.map((one) => {
    const region = toRegion(mark, images, partOf(mark.content, one.name, scale));
    return toNumber(one, [{ ...region, RelationshipType: 'INFERRED FROM' }]);
  });
  return measurementContainer('1501', [...head, ...inferred]);
}

const CONCEPT_OF: Readonly<Record<QuantityName, CodeTriplet>> = {
  length: LENGTH,
  short_axis: SHORT_AXIS,
  angle: ANGLE,
  area: AREA,
  time: ['410670007', 'SCT', 'Time'],
  velocity: ['velocity', OWN_SCHEME, 'Velocity difference'],
  distance: ['distance', OWN_SCHEME, 'Distance along one axis'],
  frequency: ['frequency', OWN_SCHEME, 'Frequency difference'],
  velocity_time_integral: ['20354-7', 'LN', 'Velocity Time Integral'],
};
/** Of what has a code of its own. */
const CONCEPTS: Readonly<Partial<Record<MeasureName, Partial<Record<QuantityName, CodeTriplet>>>>> = {
  axes: { length: LONG_AXIS },
  'angle of lines': { angle: COBB_ANGLE },
};

/** The points that a number was measured at: of two axes, those of the longer or the shorter one. */
function partOf({ kind, points }: MarkToWrite['content'], name: QuantityName, scale: Scale): Float64Array {
  if (traitsOf(kind).measures !== 'axes') return points;
  const [first, second] = [points.subarray(0, 4), points.subarray(4, 8)];
  const lengthOf = (axis: Float64Array) => measureOutline('length', axis, scale)[0]?.value ?? 0;
  const isFirstLonger = lengthOf(first) >= lengthOf(second);
  return isFirstLonger === (name === 'length') ? first : second;
}

/** What the page writes after a size: that it is not one in the patient. */
function listCaveats({ content: { place } }: MarkToWrite, { source }: Scale): DataSetInput[] {
  const { note, title } = SCALE_TERMS[source ?? 'none'];
  const isProjected = place.type === 'plane' && place.slab_mm > 0;
  return [
    ...(note === ''
      ? []
      : [codeContent('HAS CONCEPT MOD', ContentCode.MeasurementMethod, [source ?? '', OWN_SCHEME, title])]),
    ...(isProjected
      ? [codeContent('HAS CONCEPT MOD', ContentCode.MeasurementMethod, ['projected', OWN_SCHEME, 'Projected'])]
      : []),
  ];
}

/** An outline on every frame of the range. */
function* listRegions(mark: MarkToWrite, images: readonly ReportedImage[]): Generator<DataSetInput> {
  for (const { file, frame, points } of listFrameOutlines(mark)) {
    yield {
      ...toFlatRegion(mark, points),
      RelationshipType: 'CONTAINS',
      ConceptNameCodeSequence: codeSequence(IMAGE_REGION),
      ContentSequence: [toImage(images[file]!, frame)],
    };
  }
}

/** In an image, or in the patient if the mark is on a plane. */
function toRegion(mark: MarkToWrite, images: readonly ReportedImage[], points: Float64Array): DataSetInput {
  const { place } = mark.content;
  if (place.type === 'plane') return toSpatialRegion(mark, points, place.frame_of_reference_uid);
  const file = place.type === 'stack' ? place.from.file_index : place.file_index;
  const frame = place.type === 'frame' ? place.frame_index : undefined;
  return {
    ...toFlatRegion(mark, points),
    ...(place.type === 'slide' && { PixelOriginInterpretation: 'VOLUME' }),
    ContentSequence: [toImage(images[file]!, frame)],
  };
}

function toImage(image: ReportedImage, frame: number | undefined): DataSetInput {
  const isPart = image.frameCount > 1 && frame !== undefined;
  return {
    RelationshipType: 'SELECTED FROM',
    ValueType: 'IMAGE',
    ReferencedSOPSequence: [{ ...toInstance(image), ReferencedFrameNumber: isPart ? [frame + 1] : undefined }],
  };
}

/** Coordinates count from the corner of the first pixel, as those of marks. PS3.3 C.18.6.1.1. */
function toFlatRegion({ content: { kind } }: MarkToWrite, points: Float64Array): DataSetInput {
  const { shape } = traitsOf(kind);
  if (shape === 'point') return { ValueType: 'SCOORD', GraphicType: 'POINT', GraphicData: [...points] };
  if (shape === 'ellipse') return { ValueType: 'SCOORD', GraphicType: 'ELLIPSE', GraphicData: axesOf(points).flat() };
  return { ValueType: 'SCOORD', GraphicType: 'POLYLINE', GraphicData: [...closeOutline(kind, points)] };
}

function toSpatialRegion(mark: MarkToWrite, points: Float64Array, frameOfReferenceUid: string): DataSetInput {
  const { kind } = mark.content;
  const { shape } = traitsOf(kind);
  const { plane } = scaleOfMark(mark, 0, []);
  const inPatient = (flat: readonly number[]) => {
    const placed: number[] = [];
    if (plane === undefined) return placed;
    for (let n = 0; n < flat.length; n += 2) placed.push(...toPatient(plane, flat[n]!, flat[n + 1]!));
    return placed;
  };
  const common = { ValueType: 'SCOORD3D', ReferencedFrameOfReferenceUID: frameOfReferenceUid };
  if (shape === 'point') return { ...common, GraphicType: 'POINT', GraphicData: inPatient([...points]) };
  if (shape === 'ellipse') return { ...common, GraphicType: 'ELLIPSE', GraphicData: inPatient(axesOf(points).flat()) };
  const outline = [...closeOutline(kind, points)];
  return { ...common, GraphicType: hasOutline(kind) ? 'POLYGON' : 'POLYLINE', GraphicData: inPatient(outline) };
}

/** An area ends where it begins. */
function closeOutline(kind: MarkToWrite['content']['kind'], points: Float64Array): Float64Array {
  if (!hasOutline(kind)) return points;
  const corners = toPolygon(kind, points);
  return Float64Array.of(...corners, corners[0]!, corners[1]!);
}

/** The ends of the long axis, then those of the short one. */
function axesOf(points: Float64Array): [number, number][] {
  const { left, top, right, bottom } = boundsOfPoints(points);
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const across: [number, number][] = [
    [left, y],
    [right, y],
  ];
  const down: [number, number][] = [
    [x, top],
    [x, bottom],
  ];
  return right - left >= bottom - top ? [...across, ...down] : [...down, ...across];
}
