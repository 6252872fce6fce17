import type { DoseTerms } from '../../../shared/modalityUnit.ts';
import type { Attributes } from './dataSet.ts';
import * as Tag from './tag.ts';

/** What the values of a dose are in. */
export function readDoseTerms(attributes: Attributes): DoseTerms {
  return { doseUnits: attributes.string(Tag.DoseUnits), doseType: attributes.string(Tag.DoseType) };
}

/** The dose of one stored unit; undefined if it is missing, or not a number above 0. */
export function readDoseGridScaling(attributes: Attributes): number | undefined {
  const scaling = attributes.number(Tag.DoseGridScaling);
  return scaling !== undefined && scaling > 0 && Number.isFinite(scaling) ? scaling : undefined;
}
