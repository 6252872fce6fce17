import type { ScaledRegion } from '../../../shared/pixelScale.ts';
import { MOST_ULTRASOUND_REGIONS, toScaledRegion, ULTRASOUND_REGION_TAGS } from '../../../shared/ultrasoundRegion.ts';
import { readDicom } from '../dicom/readDataSet.ts';
import * as Tag from '../dicom/tag.ts';
import { type KnownSource, withSame } from '../../bytes/origins/origins.ts';

/** Implements `readUltrasoundRegionsTask`. */
export function readUltrasoundRegions(file: KnownSource): readonly ScaledRegion[] {
  return withSame(file, (source) => {
    const { dataSet } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: {
        element: (depth, tag) =>
          depth === 0 ? tag === Tag.SequenceOfUltrasoundRegions : depth === 1 && ULTRASOUND_REGION_TAGS.includes(tag),
        item: (depth, index) => depth === 0 && index < MOST_ULTRASOUND_REGIONS,
      },
      measure: false,
    });
    return dataSet
      .items(Tag.SequenceOfUltrasoundRegions)
      .flatMap((item) => toScaledRegion((tag) => item.number(tag)) ?? []);
  });
}
