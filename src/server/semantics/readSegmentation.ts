import type { DataSet } from '../dicom/dataSet.ts';
import { withSameFile } from '../dicom/openSameFile.ts';
import { readDicom } from '../dicom/readDataSet.ts';
import type { ReadFilter } from '../dicom/readPlan.ts';
import * as Tag from '../dicom/tag.ts';
import { RaggedBuilder } from '../references/ragged.ts';
import { CODE_TAGS, findCode } from './code.ts';
import { buildFramePlanes, FRAME_PLANE_TAGS } from './framePlanes.ts';
import type { SegmentationInput } from './semanticTasks.ts';
import type { SegmentationFrames, SegmentationRecord, SegmentDescription, SourceTable } from './segmentationRecord.ts';
import { findTileRaster } from './slidePlanes.ts';

/** Beyond these an object is described as far as they reach, and says so. */
const LIMITS = { maxElements: 600_000, maxBytes: 128 * 1024 * 1024 };
const MOST_SEGMENTS = 4096;

/** What stands behind `readSegmentationTask`. */
export function readSegmentation({ file, frameCount }: SegmentationInput): SegmentationRecord {
  return withSameFile(file, (source) => {
    const { dataSet, flags } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: FILTER,
      limits: LIMITS,
      measure: false,
    });
    const isCut = flags.some(({ code }) => code === 'element_limit' || code === 'byte_limit');
    const warnings = isCut ? ['the object is so large that not all of its frames are described'] : [];
    return buildSegmentationRecord(dataSet, frameCount, warnings);
  });
}

export function buildSegmentationRecord(
  dataSet: DataSet,
  frameCount: number,
  warnings: readonly string[] = [],
): SegmentationRecord {
  const segmentItems = dataSet.items(Tag.SegmentSequence);
  const segments = segmentItems.slice(0, MOST_SEGMENTS).flatMap(describeSegment);
  const { planes, toleranceMm, frameOfReferenceUid } = buildFramePlanes(dataSet, frameCount);
  const ofObject = [
    ...(segmentItems.length > MOST_SEGMENTS ? [`only the first ${MOST_SEGMENTS} segments are described`] : []),
    ...(segments.length === 0 ? ['the object describes no segment'] : []),
  ];
  return {
    segmentationType: dataSet.string(Tag.SegmentationType)?.trim().toUpperCase(),
    fractionalType: dataSet.string(Tag.SegmentationFractionalType),
    maximumFractionalValue: dataSet.number(Tag.MaximumFractionalValue),
    pixelPaddingValue: dataSet.number(Tag.PixelPaddingValue),
    segments,
    rows: dataSet.number(Tag.Rows) ?? 0,
    columns: dataSet.number(Tag.Columns) ?? 0,
    frameOfReferenceUid,
    frames: { length: frameCount, planes, toleranceMm, ...describeFrames(dataSet, frameCount, segments) },
    warnings: [...warnings, ...ofObject],
  };
}

function describeSegment(item: DataSet): SegmentDescription[] {
  const number = item.number(Tag.SegmentNumber);
  if (number === undefined) return [];
  const [l, a, b] = item.numbers(Tag.RecommendedDisplayCIELabValue);
  return [
    {
      number,
      label: item.string(Tag.SegmentLabel),
      description: item.string(Tag.SegmentDescription),
      propertyCategory: findCode(item, Tag.SegmentedPropertyCategoryCodeSequence),
      propertyType: findCode(item, Tag.SegmentedPropertyTypeCodeSequence),
      algorithmType: item.string(Tag.SegmentAlgorithmType),
      algorithmName: item.string(Tag.SegmentAlgorithmName),
      recommendedCielab: l === undefined || a === undefined || b === undefined ? undefined : [l, a, b],
      recommendedGrayscale: item.number(Tag.RecommendedDisplayGrayscaleValue),
    },
  ];
}

type FrameDescriptions = Omit<SegmentationFrames, 'length' | 'planes' | 'toleranceMm'>;

function describeFrames(dataSet: DataSet, length: number, segments: readonly SegmentDescription[]): FrameDescriptions {
  const shared = dataSet.items(Tag.SharedFunctionalGroupsSequence)[0];
  const perFrame = dataSet.items(Tag.PerFrameFunctionalGroupsSequence);
  const raster = findTileRaster(dataSet);
  const segmentNumbers = new Int32Array(length).fill(-1);
  const derivedFrom = new RaggedBuilder();
  const sources = new SourceTableBuilder();
  for (let frame = 0; frame < length; frame += 1) {
    const group = perFrame[frame];
    const find = (macro: number) => group?.items(macro) ?? [];
    const identified = find(Tag.SegmentIdentificationSequence)[0] ?? shared?.items(Tag.SegmentIdentificationSequence)[0];
    const declared = identified?.number(Tag.ReferencedSegmentNumber);
    // The frames of a full tiling need no functional group: one segment after the other. PS3.3 C.7.6.17.3.
    const byOrder = raster && segments[Math.floor(frame / raster.tilesPerPlane)]?.number;
    segmentNumbers[frame] = declared ?? byOrder ?? -1;
    const own = find(Tag.DerivationImageSequence).flatMap((item) => item.items(Tag.SourceImageSequence));
    const derivation =
      own.length > 0
        ? own
        : (shared?.items(Tag.DerivationImageSequence) ?? []).flatMap((item) => item.items(Tag.SourceImageSequence));
    derivedFrom.add(new Set(derivation.flatMap((item) => sources.add(item))));
  }
  return { segmentNumbers, derivedFrom: derivedFrom.build(), sources: sources.build(), ...listDeclared(dataSet) };
}

class SourceTableBuilder {
  readonly #rows = new Map<string, number>();
  readonly #uids = new Map<string, number>();
  readonly #uid: number[] = [];
  readonly #isPreserved: number[] = [];
  readonly #frameNumbers = new RaggedBuilder();

  /** The row of a Source Image item; none where it names no instance. */
  add(item: DataSet): number[] {
    const sopInstanceUid = item.string(Tag.ReferencedSOPInstanceUID);
    if (sopInstanceUid === undefined) return [];
    const numbers = item.numbers(Tag.ReferencedFrameNumber).filter((number) => number > 0 && number === (number | 0));
    const isPreserved = item.string(Tag.SpatialLocationsPreserved) === 'YES' ? 1 : 0;
    const key = [sopInstanceUid, isPreserved, ...numbers].join(' ');
    const known = this.#rows.get(key);
    if (known !== undefined) return [known];
    const row = this.#rows.size;
    const uid = this.#uids.get(sopInstanceUid) ?? this.#uids.size;
    this.#uids.set(sopInstanceUid, uid);
    this.#rows.set(key, row);
    this.#uid.push(uid);
    this.#isPreserved.push(isPreserved);
    this.#frameNumbers.add(numbers);
    return [row];
  }

  build(): SourceTable {
    return {
      uids: [...this.#uids.keys()],
      uid: Uint32Array.from(this.#uid),
      frameNumbers: this.#frameNumbers.build(),
      isPreserved: Uint8Array.from(this.#isPreserved),
    };
  }
}

function listDeclared(dataSet: DataSet): Pick<SegmentationFrames, 'declaredUids' | 'declaredSeriesUids'> {
  const uids = new Set<string>();
  const seriesUids = new Set<string>();
  const add = (items: readonly DataSet[]) => {
    for (const item of items) {
      const uid = item.string(Tag.ReferencedSOPInstanceUID);
      if (uid !== undefined) uids.add(uid);
    }
  };
  add(dataSet.items(Tag.SourceImageSequence));
  for (const series of dataSet.items(Tag.ReferencedSeriesSequence)) {
    const instances = series.items(Tag.ReferencedInstanceSequence);
    add(instances);
    const seriesUid = series.string(Tag.SeriesInstanceUID);
    if (instances.length === 0 && seriesUid !== undefined) seriesUids.add(seriesUid);
  }
  return { declaredUids: [...uids], declaredSeriesUids: [...seriesUids] };
}

const WANTED: ReadonlySet<number> = new Set([
  ...FRAME_PLANE_TAGS,
  ...CODE_TAGS,
  Tag.SpecificCharacterSet,
  Tag.SegmentationType,
  Tag.SegmentationFractionalType,
  Tag.MaximumFractionalValue,
  Tag.PixelPaddingValue,
  Tag.PixelRepresentation,
  Tag.SegmentSequence,
  Tag.SegmentNumber,
  Tag.SegmentLabel,
  Tag.SegmentDescription,
  Tag.SegmentedPropertyCategoryCodeSequence,
  Tag.SegmentedPropertyTypeCodeSequence,
  Tag.SegmentAlgorithmType,
  Tag.SegmentAlgorithmName,
  Tag.RecommendedDisplayCIELabValue,
  Tag.RecommendedDisplayGrayscaleValue,
  Tag.SegmentIdentificationSequence,
  Tag.ReferencedSegmentNumber,
  Tag.DerivationImageSequence,
  Tag.SourceImageSequence,
  Tag.ReferencedSOPInstanceUID,
  Tag.ReferencedFrameNumber,
  Tag.SpatialLocationsPreserved,
  Tag.ReferencedSeriesSequence,
  Tag.ReferencedInstanceSequence,
  Tag.SeriesInstanceUID,
]);

const FILTER: ReadFilter = { element: (_depth, tag) => WANTED.has(tag), item: () => true };
