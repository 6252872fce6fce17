import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { MOST_VALUES } from '../../standard/dicom/mostValues.ts';
import { type KnownSource, withSame } from '../../bytes/origins/origins.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import { readFrameNumbers } from '../../standard/dicom/eachFrame.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { sampleKindOf } from '../pixels/imagePixel.ts';
import type { ParametricMapRecord, RealWorldMapping } from './parametricMapRecord.ts';
import type { ValueMappingsInput } from './semanticTasks.ts';
import { describeMapping, MAPPING_TAGS } from './realWorldMappings.ts';

const MOST_MAPPINGS = 256;
/** As many as a semantic context contains. */
const MOST_LUT_VALUES = 4096;
const MOST_FRAMES = 4096;

/** Implements `readParametricMapTask`: the distinct mappings of all frames. */
export function readParametricMap(file: KnownSource): ParametricMapRecord {
  return withSame(file, (source) => {
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
      mappings: describeDistinct(items, MOST_LUT_VALUES),
    };
  });
}

/** Implements `readValueMappingsTask`: the mappings of a Real World Value Mapping object for one image. */
export function readValueMappings({ file, image, mostLutValues }: ValueMappingsInput): readonly RealWorldMapping[] {
  return withSame(file, (source) => {
    const { dataSet } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: { element: (_depth, tag) => WANTED.has(tag), item: () => true },
    });
    const about = dataSet
      .items(Tag.ReferencedImageRealWorldValueMappingSequence)
      .filter((group) => namesImage(group, image));
    return describeDistinct(
      about.flatMap((group) => group.items(Tag.RealWorldValueMappingSequence)),
      mostLutValues,
    );
  });
}

function namesImage(group: DataSet, { sopInstanceUid, frame }: ValueMappingsInput['image']): boolean {
  return group.items(Tag.ReferencedImageSequence).some((item) => {
    if (item.string(Tag.ReferencedSOPInstanceUID) !== sopInstanceUid) return false;
    const frameNumbers = readFrameNumbers(item, MOST_VALUES.frames);
    return frame === undefined || frameNumbers.length === 0 || frameNumbers.includes(frame + 1);
  });
}

function describeDistinct(items: readonly DataSet[], mostLutValues: number): RealWorldMapping[] {
  const distinct = new Map<string, RealWorldMapping>();
  for (const item of items) {
    if (distinct.size >= MOST_MAPPINGS) break;
    const mapping = describeMapping(item, mostLutValues);
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
  Tag.ReferencedFrameNumber,
]);
