import { computeSuv } from '../../../shared/suv.ts';
import { MOST_LUT_VALUES } from '../../../shared/contract/lutLimit.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { attributesOfFrame } from '../../standard/dicom/eachFrame.ts';
import { type KnownSource, withSame } from '../../bytes/origins/origins.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import type { ReadFilter } from '../../standard/dicom/readPlan.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { sampleKindOf } from '../pixels/imagePixel.ts';
import { readModality, readVoiTables } from '../pixels/presentation/readLookupTables.ts';
import type { FrameValueRecord } from './frameValueRecord.ts';
import { readDoseGridScaling, readDoseTerms } from '../../standard/dicom/readDoseTerms.ts';
import { describeMapping, MAPPING_TAGS } from './realWorldMappings.ts';
import { isPetTag, readPetAttributes } from '../../standard/dicom/readPetAttributes.ts';

const MOST_MAPPINGS = 16;
/** Only the requested item of the per-frame functional groups is kept, so its index is 0. */
const THE_FRAME = 0;

/** Implements `readFrameValuesTask`. */
export function readFrameValues({
  file,
  frame,
}: {
  readonly file: KnownSource;
  readonly frame: number;
}): FrameValueRecord {
  return withSame(file, (source) => {
    const { dataSet, pixelData } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: createFilter(frame),
      measure: false,
    });
    const pixel = {
      pixelRepresentation: dataSet.isSigned() ? (1 as const) : (0 as const),
      bitsStored: dataSet.number(Tag.BitsStored) ?? 16,
    };
    const modality = readModality(dataSet, pixel, THE_FRAME);
    const transformation = attributesOfFrame(dataSet, THE_FRAME, Tag.PixelValueTransformationSequence);
    const voi = attributesOfFrame(dataSet, THE_FRAME, Tag.FrameVOILUTSequence);
    const doseGridScaling = readDoseGridScaling(dataSet);
    return {
      storedValueType: sampleKindOf(pixelData?.tag ?? Tag.PixelData),
      modality,
      rescaleType:
        transformation.string(Tag.RescaleType) ??
        dataSet.items(Tag.ModalityLUTSequence)[0]?.string(Tag.ModalityLUTType),
      mappings: findMappings(dataSet)
        .slice(0, MOST_MAPPINGS)
        .map((item) => describeMapping(item, MOST_LUT_VALUES)),
      dose: doseGridScaling === undefined ? undefined : { doseGridScaling, ...readDoseTerms(dataSet) },
      pet: dataSet.string(Tag.Modality) === 'PT' ? describePet(dataSet) : undefined,
      voiLut: readVoiTables(voi, pixel, modality)[0],
    };
  });
}

function describePet(dataSet: DataSet): FrameValueRecord['pet'] {
  const attributes = readPetAttributes(dataSet);
  return { units: attributes.Units ?? null, suv: computeSuv(attributes) };
}

/** Unlike other functional groups, this one can have several items: several interpretations of the same value. */
function findMappings(dataSet: DataSet): readonly DataSet[] {
  const places = [
    ...dataSet.items(Tag.PerFrameFunctionalGroupsSequence),
    ...dataSet.items(Tag.SharedFunctionalGroupsSequence),
    dataSet,
  ];
  return places.map((place) => place.items(Tag.RealWorldValueMappingSequence)).find((items) => items.length > 0) ?? [];
}

function createFilter(frame: number): ReadFilter {
  let sequence = 0;
  return {
    element(depth, tag) {
      if (depth === 0) sequence = tag;
      return WANTED.has(tag) || isPetTag(tag);
    },
    item: (depth, index) => depth > 0 || sequence !== Tag.PerFrameFunctionalGroupsSequence || index === frame,
  };
}

const WANTED: ReadonlySet<number> = new Set([
  ...MAPPING_TAGS,
  Tag.SpecificCharacterSet,
  Tag.SOPClassUID,
  Tag.Modality,
  Tag.PixelIntensityRelationship,
  Tag.BitsStored,
  Tag.PixelRepresentation,
  Tag.SharedFunctionalGroupsSequence,
  Tag.PerFrameFunctionalGroupsSequence,
  Tag.PixelValueTransformationSequence,
  Tag.RescaleIntercept,
  Tag.RescaleSlope,
  Tag.RescaleType,
  Tag.ModalityLUTSequence,
  Tag.ModalityLUTType,
  Tag.FrameVOILUTSequence,
  Tag.VOILUTSequence,
  Tag.LUTDescriptor,
  Tag.LUTExplanation,
  Tag.LUTData,
  Tag.DoseGridScaling,
  Tag.DoseUnits,
  Tag.DoseType,
]);
