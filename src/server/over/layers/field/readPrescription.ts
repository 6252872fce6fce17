import { readDicom } from '../../../standard/dicom/readDataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { type KnownSource, withSame } from '../../../bytes/origins/origins.ts';
import type { PlanRecord } from './fieldTasks.ts';

const WANTED: ReadonlySet<number> = new Set([
  Tag.RTPlanLabel,
  Tag.DoseReferenceSequence,
  Tag.DoseReferenceDescription,
  Tag.DoseReferenceType,
  Tag.TargetPrescriptionDose,
  Tag.FractionGroupSequence,
  Tag.NumberOfFractionsPlanned,
  Tag.BeamSequence,
  Tag.BeamNumber,
  Tag.BeamName,
]);
const MOST_ITEMS = 256;

/** Implements `readPrescriptionTask`. */
export function readPrescription(file: KnownSource): PlanRecord {
  return withSame(file, (source) => {
    const { dataSet } = readDicom(source, {
      filter: { element: (_depth, tag) => WANTED.has(tag), item: (_depth, index) => index < MOST_ITEMS },
      measure: false,
    });
    const targets = dataSet
      .items(Tag.DoseReferenceSequence)
      .filter((item) => item.string(Tag.DoseReferenceType) === 'TARGET');
    const groups = dataSet.items(Tag.FractionGroupSequence);
    const fractions = groups.length === 1 ? groups[0]?.number(Tag.NumberOfFractionsPlanned) : undefined;
    return {
      label: dataSet.string(Tag.RTPlanLabel),
      prescriptions: targets.flatMap((item) => {
        const doseGy = item.number(Tag.TargetPrescriptionDose);
        if (doseGy === undefined || !(doseGy > 0) || !Number.isFinite(doseGy)) return [];
        return [{ doseGy, description: item.string(Tag.DoseReferenceDescription) }];
      }),
      beams: dataSet.items(Tag.BeamSequence).flatMap((item) => {
        const [number, name] = [item.number(Tag.BeamNumber), item.string(Tag.BeamName)];
        return number === undefined || name === undefined || name === '' ? [] : [{ number, name }];
      }),
      fractions: fractions !== undefined && fractions > 0 && Number.isFinite(fractions) ? fractions : undefined,
    };
  });
}
