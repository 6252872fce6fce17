import type { Attributes } from '../../standard/dicom/dataSet.ts';
import { MOST_VALUES } from '../../standard/dicom/mostValues.ts';
import { type KnownSource, withSame } from '../../bytes/origins/origins.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import type { DoseRecord } from './doseRecord.ts';

/** Implements `readDoseTask`. */
export function readDose(file: KnownSource): DoseRecord {
  return withSame(file, (source) => {
    const { dataSet } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: { element: (depth, tag) => depth === 0 && WANTED.has(tag), item: () => false },
      measure: false,
    });
    const numbers = (tag: number, count: number) => {
      const values = dataSet.numbers(tag, count + 1);
      return values.length === count && values.every(Number.isFinite) ? values : undefined;
    };
    return {
      doseGridScaling: toDoseGridScaling(dataSet),
      doseUnits: dataSet.string(Tag.DoseUnits),
      doseType: dataSet.string(Tag.DoseType),
      doseSummationType: dataSet.string(Tag.DoseSummationType),
      frameOfReferenceUid: dataSet.string(Tag.FrameOfReferenceUID),
      imagePosition: numbers(Tag.ImagePositionPatient, 3),
      imageOrientation: numbers(Tag.ImageOrientationPatient, 6),
      pixelSpacing: numbers(Tag.PixelSpacing, 2),
      gridFrameOffsets: dataSet.numbers(Tag.GridFrameOffsetVector, MOST_VALUES.frames).filter(Number.isFinite),
    };
  });
}

/** Undefined if missing, or not a number above 0. */
export function toDoseGridScaling(attributes: Attributes): number | undefined {
  const scaling = attributes.number(Tag.DoseGridScaling);
  return scaling !== undefined && scaling > 0 && Number.isFinite(scaling) ? scaling : undefined;
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
