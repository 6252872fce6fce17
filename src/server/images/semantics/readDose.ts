import { MOST_VALUES } from '../../standard/dicom/mostValues.ts';
import { type KnownSource, withSame } from '../../bytes/origins/origins.ts';
import { readDoseGridScaling, readDoseTerms } from '../../standard/dicom/readDoseTerms.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import type { DoseRecord } from './doseRecord.ts';

/** Implements `readDoseTask`. */
export function readDose(file: KnownSource): DoseRecord {
  return withSame(file, (source) => {
    const { dataSet } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: {
        element: (depth, tag) => BEAM_TAGS.has(tag) || (depth === 0 && WANTED.has(tag)),
        item: (_depth, index) => index < MOST_BEAMS,
      },
      measure: false,
    });
    const numbers = (tag: number, count: number) => {
      const values = dataSet.numbers(tag, count + 1);
      return values.length === count && values.every(Number.isFinite) ? values : undefined;
    };
    return {
      doseGridScaling: readDoseGridScaling(dataSet),
      ...readDoseTerms(dataSet),
      doseSummationType: dataSet.string(Tag.DoseSummationType),
      beams: dataSet
        .items(Tag.ReferencedRTPlanSequence)
        .flatMap((plan) => plan.items(Tag.ReferencedFractionGroupSequence))
        .flatMap((group) => group.items(Tag.ReferencedBeamSequence))
        .flatMap((beam) => beam.number(Tag.ReferencedBeamNumber) ?? []),
      frameOfReferenceUid: dataSet.string(Tag.FrameOfReferenceUID),
      imagePosition: numbers(Tag.ImagePositionPatient, 3),
      imageOrientation: numbers(Tag.ImageOrientationPatient, 6),
      pixelSpacing: numbers(Tag.PixelSpacing, 2),
      gridFrameOffsets: dataSet.numbers(Tag.GridFrameOffsetVector, MOST_VALUES.frames).filter(Number.isFinite),
    };
  });
}

const WANTED: ReadonlySet<number> = new Set([
  Tag.DoseGridScaling,
  Tag.DoseUnits,
  Tag.DoseType,
  Tag.DoseSummationType,
  Tag.FrameOfReferenceUID,
  Tag.ImagePositionPatient,
  Tag.ImageOrientationPatient,
  Tag.PixelSpacing,
  Tag.GridFrameOffsetVector,
]);

/** From the plan to its beams. */
const BEAM_TAGS: ReadonlySet<number> = new Set([
  Tag.ReferencedRTPlanSequence,
  Tag.ReferencedFractionGroupSequence,
  Tag.ReferencedBeamSequence,
  Tag.ReferencedBeamNumber,
]);
const MOST_BEAMS = 256;
