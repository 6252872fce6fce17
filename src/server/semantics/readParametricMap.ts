import type { DataSet } from '../dicom/dataSet.ts';
import { type KnownFile, withSameFile } from '../dicom/openSameFile.ts';
import { readDicom } from '../dicom/readDataSet.ts';
import * as Tag from '../dicom/tag.ts';
import { sampleKindOf } from '../pixels/imagePixel.ts';
import type { ParametricMapRecord, RealWorldMapping } from './parametricMapRecord.ts';
import { describeMapping, MAPPING_TAGS } from './realWorldMappings.ts';

const MOST_MAPPINGS = 256;
const MOST_FRAMES = 4096;

/** What stands behind `readParametricMapTask`: the mappings of all frames, each different one once. */
export function readParametricMap(file: KnownFile): ParametricMapRecord {
  return withSameFile(file, (source) => {
    const { dataSet, pixelData } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: {
        element: (_depth, tag) => WANTED.has(tag),
        item: (depth, index) => index < (depth === 0 ? MOST_FRAMES : MOST_MAPPINGS),
      },
      measure: false,
    });
    const groups = [
      dataSet,
      ...dataSet.items(Tag.SharedFunctionalGroupsSequence),
      ...dataSet.items(Tag.PerFrameFunctionalGroupsSequence),
    ];
    const items = groups.flatMap((group) => group.items(Tag.RealWorldValueMappingSequence));
    return {
      storedValueType: sampleKindOf(pixelData?.tag ?? Tag.PixelData),
      mappings: describeDistinct(items),
    };
  });
}

/** What stands behind `readValueMappingsTask`: what a Real World Value Mapping object says of one image. */
export function readValueMappings({
  file,
  sopInstanceUid,
}: {
  readonly file: KnownFile;
  readonly sopInstanceUid: string;
}): readonly RealWorldMapping[] {
  return withSameFile(file, (source) => {
    const { dataSet } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: { element: (_depth, tag) => WANTED.has(tag), item: () => true },
    });
    const about = dataSet
      .items(Tag.ReferencedImageRealWorldValueMappingSequence)
      .filter((group) => namesImage(group, sopInstanceUid));
    return describeDistinct(about.flatMap((group) => group.items(Tag.RealWorldValueMappingSequence)));
  });
}

function namesImage(group: DataSet, sopInstanceUid: string): boolean {
  const images = group.items(Tag.ReferencedImageSequence);
  return images.some((image) => image.string(Tag.ReferencedSOPInstanceUID) === sopInstanceUid);
}

function describeDistinct(items: readonly DataSet[]): RealWorldMapping[] {
  const distinct = new Map<string, RealWorldMapping>();
  for (const item of items) {
    if (distinct.size >= MOST_MAPPINGS) break;
    const mapping = describeMapping(item);
    distinct.set(JSON.stringify(mapping), mapping);
  }
  return [...distinct.values()];
}

const WANTED: ReadonlySet<number> = new Set([
  ...MAPPING_TAGS,
  Tag.SpecificCharacterSet,
  Tag.PixelRepresentation,
  Tag.SharedFunctionalGroupsSequence,
  Tag.PerFrameFunctionalGroupsSequence,
  Tag.ReferencedImageRealWorldValueMappingSequence,
  Tag.ReferencedImageSequence,
  Tag.ReferencedSOPInstanceUID,
]);
