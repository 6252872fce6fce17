import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { eachFrame, findMacro, type FrameAttributes, readFrameNumbers } from '../../../standard/dicom/eachFrame.ts';
import { MOST_VALUES } from '../../../standard/dicom/mostValues.ts';
import { withSame } from '../../../bytes/origins/origins.ts';
import { readDicom } from '../../../standard/dicom/readDataSet.ts';
import type { ReadFilter } from '../../../standard/dicom/readPlan.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { GeometryBuilder } from '../../../standard/geometry/geometryBuilder.ts';
import { GEOMETRY_TAGS, GEOMETRY_TAGS_IN_ITEMS } from '../../../standard/geometry/readGeometry.ts';
import { measureSliceSpacing } from '../../../standard/geometry/sliceSpacing.ts';
import { findTileRaster, readSlideMatrix, type TileRaster } from '../../../standard/geometry/slideMatrix.ts';
import { RaggedBuilder } from '../../../images/references/ragged.ts';
import { CODE_TAGS, findCode } from '../../../standard/dicom/code.ts';
import type { SegmentationFrames, SegmentationRecord, SegmentDescription, SourceTable } from './segmentationRecord.ts';
import type { SegmentationInput } from './segmentationTasks.ts';

const MOST_SEGMENTS = 4096;

/** Implements `readSegmentationTask`. */
export function readSegmentation({ file, frameCount }: SegmentationInput): SegmentationRecord {
  return withSame(file, (source) => {
    const { dataSet } = readDicom(source, { until: Tag.FloatPixelData, filter: OF_OBJECT, measure: false });
    const header = describeObject(dataSet);
    const places = new GeometryBuilder(frameCount);
    const frames = new SegmentFramesBuilder(frameCount, header.segments);
    for (const attributes of eachFrame(source, { frameCount, wanted: GEOMETRY_TAGS, wantedInGroups: OF_FRAMES })) {
      places.take(attributes);
      frames.take(attributes);
    }
    const geometry = places.build();
    return {
      ...header,
      warnings: [...header.warnings, ...frames.warnings],
      frames: {
        length: frameCount,
        geometry,
        sliceSpacing: measureSliceSpacing(geometry),
        ...frames.build(),
        ...listDeclared(dataSet),
      },
    };
  });
}

type SegmentationHeader = Omit<SegmentationRecord, 'frames'>;

function describeObject(dataSet: DataSet): SegmentationHeader {
  const items = dataSet.items(Tag.SegmentSequence);
  const segments = items.slice(0, MOST_SEGMENTS).flatMap(describeSegment);
  return {
    segmentationType: dataSet.string(Tag.SegmentationType)?.trim().toUpperCase(),
    fractionalType: dataSet.string(Tag.SegmentationFractionalType),
    maximumFractionalValue: dataSet.number(Tag.MaximumFractionalValue),
    pixelPaddingValue: dataSet.number(Tag.PixelPaddingValue),
    segments,
    rows: dataSet.number(Tag.Rows) ?? 0,
    columns: dataSet.number(Tag.Columns) ?? 0,
    warnings: [
      ...(items.length > MOST_SEGMENTS ? [`only the first ${MOST_SEGMENTS} segments are described`] : []),
      ...(segments.length === 0 ? ['the object does not describe any segment'] : []),
    ],
  };
}

function describeSegment(item: DataSet): SegmentDescription[] {
  const number = item.number(Tag.SegmentNumber);
  if (number === undefined) return [];
  const [l, a, b] = item.numbers(Tag.RecommendedDisplayCIELabValue, 3);
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

type SegmentFrames = Pick<SegmentationFrames, 'segmentNumbers' | 'derivedFrom' | 'sources'>;

class SegmentFramesBuilder {
  readonly #segmentNumbers: Int32Array<ArrayBuffer>;
  readonly #derivedFrom = new RaggedBuilder();
  readonly #sources: SourceTableBuilder;
  readonly #segments: readonly SegmentDescription[];
  #raster: TileRaster | undefined;
  #shared: { readonly groups: DataSet | undefined; readonly rows: readonly number[] | undefined } | undefined;
  #rowsLeft: number;
  #isCut = false;

  constructor(frameCount: number, segments: readonly SegmentDescription[]) {
    this.#rowsLeft = mostSources(frameCount);
    this.#sources = new SourceTableBuilder(this.#rowsLeft);
    this.#segmentNumbers = new Int32Array(frameCount).fill(-1);
    this.#segments = segments;
  }

  take(attributes: FrameAttributes): void {
    const { frame, own, shared, dataSet } = attributes;
    if (frame === 0) this.#raster = findTileRaster(readSlideMatrix(dataSet));
    const identification = findMacro(attributes, Tag.SegmentIdentificationSequence);
    // The frames of a full tiling need no functional group: they are ordered by segment. PS3.3 C.7.6.17.3.
    const byOrder = this.#raster && this.#segments[Math.floor(frame / this.#raster.tilesPerPlane)]?.number;
    this.#segmentNumbers[frame] = identification?.number(Tag.ReferencedSegmentNumber) ?? byOrder ?? -1;
    const rows = this.#rowsOf(own) ?? this.#sharedRows(shared) ?? NO_ROWS;
    const kept = rows.length <= this.#rowsLeft ? rows : rows.slice(0, this.#rowsLeft);
    if (kept.length < rows.length) this.#isCut = true;
    this.#rowsLeft -= kept.length;
    this.#derivedFrom.add(kept);
  }

  /** The distinct sources of a frame, as rows of the table; undefined if the groups name none. */
  #rowsOf(groups: DataSet | undefined): readonly number[] | undefined {
    const items = sourcesOf(groups);
    return items && [...new Set(items.flatMap((item) => this.#sources.add(item)))];
  }

  /** Cached, because they are the same for all frames and may be many. */
  #sharedRows(shared: DataSet | undefined): readonly number[] | undefined {
    if (this.#shared?.groups !== shared) this.#shared = { groups: shared, rows: this.#rowsOf(shared) };
    return this.#shared?.rows;
  }

  get warnings(): readonly string[] {
    return this.#isCut || this.#sources.isCut
      ? ['only some of the source images that the frames reference are read']
      : [];
  }

  build(): SegmentFrames {
    return {
      segmentNumbers: this.#segmentNumbers,
      derivedFrom: this.#derivedFrom.build(),
      sources: this.#sources.build(),
    };
  }
}

function sourcesOf(groups: DataSet | undefined): readonly DataSet[] | undefined {
  const items = (groups?.items(Tag.DerivationImageSequence) ?? []).flatMap((item) =>
    item.items(Tag.SourceImageSequence),
  );
  return items.length === 0 ? undefined : items;
}

/**
 * Limit on the sources, and on their frame numbers, kept for all frames together: a few per frame. A list shared by all
 * frames, or a long list of numbers, could otherwise be many times as long as the file.
 */
function mostSources(frameCount: number): number {
  return MOST_VALUES.frames + 16 * frameCount;
}

const NO_ROWS: readonly number[] = [];

class SourceTableBuilder {
  #numbersLeft: number;
  /** Frame numbers were left out. */
  isCut = false;
  readonly #rows = new Map<string, number>();
  readonly #uids = new Map<string, number>();
  readonly #uid: number[] = [];
  readonly #isPreserved: number[] = [];
  readonly #frameNumbers = new RaggedBuilder();

  constructor(mostNumbers: number) {
    this.#numbersLeft = mostNumbers;
  }

  /** The row of a Source Image item; empty if it names no instance or no frame of it. */
  add(item: DataSet): number[] {
    const sopInstanceUid = item.string(Tag.ReferencedSOPInstanceUID);
    if (sopInstanceUid === undefined) return [];
    const numbers = this.#frameNumbersOf(item);
    if (numbers === undefined) return [];
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
    this.#numbersLeft -= numbers.length;
    return [row];
  }

  /** Undefined if the item names frames, but none that exists, such as 0: that is not all frames. */
  #frameNumbersOf(item: DataSet): readonly number[] | undefined {
    const most = Math.min(MOST_VALUES.frames, this.#numbersLeft);
    // Requests one more, to detect whether there are more.
    const numbers = readFrameNumbers(item, most + 1);
    if (numbers.length > most) this.isCut = true;
    const valid = numbers.slice(0, most).filter((number) => number > 0);
    return valid.length === 0 && numbers.length > 0 ? undefined : valid;
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

type DeclaredSources = Pick<SegmentationFrames, 'declaredUids' | 'declaredSeriesUids'>;

function listDeclared(dataSet: DataSet): DeclaredSources {
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

const AT_TOP: ReadonlySet<number> = new Set([
  Tag.SpecificCharacterSet,
  Tag.Rows,
  Tag.Columns,
  Tag.SegmentationType,
  Tag.SegmentationFractionalType,
  Tag.MaximumFractionalValue,
  Tag.PixelPaddingValue,
  Tag.PixelRepresentation,
  Tag.SegmentSequence,
  Tag.SourceImageSequence,
  Tag.ReferencedSeriesSequence,
]);

const IN_ITEMS: ReadonlySet<number> = new Set([
  ...CODE_TAGS,
  Tag.SegmentNumber,
  Tag.SegmentLabel,
  Tag.SegmentDescription,
  Tag.SegmentedPropertyCategoryCodeSequence,
  Tag.SegmentedPropertyTypeCodeSequence,
  Tag.SegmentAlgorithmType,
  Tag.SegmentAlgorithmName,
  Tag.RecommendedDisplayCIELabValue,
  Tag.RecommendedDisplayGrayscaleValue,
  Tag.ReferencedSOPInstanceUID,
  Tag.ReferencedInstanceSequence,
  Tag.SeriesInstanceUID,
]);

const OF_OBJECT: ReadFilter = {
  element: (depth, tag) => (depth === 0 ? AT_TOP : IN_ITEMS).has(tag),
  item: () => true,
};

const OF_FRAMES: readonly number[] = [
  ...GEOMETRY_TAGS_IN_ITEMS,
  Tag.SegmentIdentificationSequence,
  Tag.ReferencedSegmentNumber,
  Tag.DerivationImageSequence,
  Tag.SourceImageSequence,
  Tag.ReferencedSOPInstanceUID,
  Tag.ReferencedFrameNumber,
  Tag.SpatialLocationsPreserved,
];
