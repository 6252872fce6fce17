import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { MOST_VALUES } from '../../../standard/dicom/mostValues.ts';
import { readDicom } from '../../../standard/dicom/readDataSet.ts';
import { readFrameNumbers } from '../../../standard/dicom/eachFrame.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { withSame } from '../../../bytes/origins/origins.ts';
import { CODE_TAGS } from '../../../standard/dicom/code.ts';
import {
  createLeftOut,
  createPlaces,
  createRegionColumns,
  MOST_REGION_POINTS,
  type NewRegion,
  type RegionImage,
  type RegionPart,
  type RegionRecord,
} from './regionRecord.ts';
import type { ReadSpatialInput } from '../spatial/spatialLayers.ts';

/** Takes the regions of one object. Parts are numbered from 1. */
export interface RegionCollector {
  readonly places: Pick<ReturnType<typeof createPlaces>, 'ofImage' | 'ofSpace'>;
  /** Notes why something of a part is not drawn; undefined for no part. */
  readonly leaveOut: (number: number | undefined, reason: string) => void;
  /** Adds a region of a part, or notes why it cannot be drawn. */
  readonly add: (number: number, region: Omit<NewRegion, 'part'>) => void;
}

/** Reads the elements with these tags of an object with regions. `collect` finds the regions and returns the parts. */
export function readRegions(
  { source: file, mostBytes }: ReadSpatialInput,
  tags: readonly number[],
  collect: (root: DataSet, regions: RegionCollector) => readonly RegionPart[],
): RegionRecord {
  const wanted = new Set([...COMMON_TAGS, ...tags]);
  return withSame(file, (source) => {
    const { dataSet, flags } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: { element: (_, tag) => wanted.has(tag), item: () => true },
      limits: { maxElements: 1_000_000 },
      maxValueBytes: 256,
      measure: false,
    });
    const columns = createRegionColumns(mostBytes);
    const places = createPlaces();
    const leftOut = createLeftOut();
    const parts = collect(dataSet, {
      places,
      leaveOut: (number, reason) => leftOut.add(number, reason),
      add(number, region) {
        const reason = columns.add({ part: number - 1, ...region });
        if (reason !== undefined) leftOut.add(number, reason);
      },
    });
    const isCut = flags.some(({ code }) => code === 'element_limit' || code === 'byte_limit' || code === 'truncated');
    return { parts, ...places.list(), shapes: columns.finish(), leftOut: leftOut.list(), isCut };
  });
}

/** Character set, codes, and what the two functions below read. */
const COMMON_TAGS: readonly number[] = [
  Tag.SpecificCharacterSet,
  ...CODE_TAGS,
  Tag.ReferencedSOPInstanceUID,
  Tag.ReferencedFrameNumber,
  Tag.GraphicData,
];

/** The image that an item of a sequence names; undefined if it names none. */
export function readRegionImage(
  reference: DataSet | undefined,
  origin: RegionImage['origin'] = 'frame',
): RegionImage | undefined {
  const sopInstanceUid = reference?.string(Tag.ReferencedSOPInstanceUID);
  if (reference === undefined || sopInstanceUid === undefined) return undefined;
  const numbers = readFrameNumbers(reference, MOST_VALUES.frames);
  const frames = numbers.filter((number) => number > 0).map((number) => number - 1);
  return { sopInstanceUid, frames: numbers.length === 0 ? undefined : frames, origin };
}

/** Graphic Data, in an image or in space. One point more than is drawn shows that there are too many. */
export function readGraphicData(item: DataSet, dimensions: 2 | 3): readonly number[] {
  const values = item.numbers(Tag.GraphicData, dimensions * (MOST_REGION_POINTS + 1));
  // In images, (0, 0) is the corner of the first pixel.
  return dimensions === 2 ? values.map((value) => value - 0.5) : values;
}
