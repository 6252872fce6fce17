import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { eachFrame } from '../../standard/dicom/eachFrame.ts';
import { MOST_VALUES } from '../../standard/dicom/mostValues.ts';
import { withSame } from '../../bytes/origins/origins.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { GeometryBuilder } from '../../standard/geometry/geometryBuilder.ts';
import { GEOMETRY_TAGS, GEOMETRY_TAGS_IN_ITEMS } from '../../standard/geometry/readGeometry.ts';
import type { FrameGeometryInput, RankedGeometry } from './frameGeometry.ts';
import { createTraitReader, TRAIT_TAGS } from './frameTraits.ts';
import { type FrameKey, rankFrames } from './rankFrames.ts';

/** Reads the functional groups of all frames, limited to position, time and traits. */
export function readFrameGeometry({ source, frameCount }: FrameGeometryInput): RankedGeometry {
  return withSame(source, (opened) => {
    const builder = new GeometryBuilder(frameCount);
    const keys: FrameKey[] = [];
    const traits = createTraitReader();
    for (const attributes of eachFrame(opened, { frameCount, wanted: GEOMETRY_TAGS, wantedInGroups: IN_GROUPS })) {
      builder.take(attributes);
      if (attributes.own === undefined) continue;
      keys.push(readKey(attributes.own));
      traits.take(attributes.own, attributes.shared);
    }
    return { ...builder.build(), ranks: rankFrames(keys, frameCount), traits: traits.traits() };
  });
}

const IN_GROUPS = [
  ...GEOMETRY_TAGS_IN_ITEMS,
  Tag.FrameContentSequence,
  Tag.TemporalPositionIndex,
  Tag.DimensionIndexValues,
  Tag.FrameReferenceDateTime,
  Tag.FrameAcquisitionDateTime,
  Tag.SegmentIdentificationSequence,
  Tag.ReferencedSegmentNumber,
  ...TRAIT_TAGS,
];

function readKey(own: DataSet): FrameKey {
  const content = own.items(Tag.FrameContentSequence)[0];
  return {
    temporalPosition: content?.number(Tag.TemporalPositionIndex),
    dimensions: content?.numbers(Tag.DimensionIndexValues, MOST_VALUES.dimensions) ?? [],
    segment: own.items(Tag.SegmentIdentificationSequence)[0]?.number(Tag.ReferencedSegmentNumber),
    dateTime: content?.string(Tag.FrameReferenceDateTime) ?? content?.string(Tag.FrameAcquisitionDateTime),
  };
}
