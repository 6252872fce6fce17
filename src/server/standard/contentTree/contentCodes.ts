import type { CodeTriplet } from '../dicom/codeSequence.ts';
import type { DataSet } from '../dicom/dataSet.ts';
import * as Tag from '../dicom/tag.ts';
import { type Code, findCode } from '../dicom/code.ts';

/** Concepts of structured reports, PS3.16, that are both read and written. */
export const ContentCode = {
  MeasurementGroup: ['125007', 'DCM', 'Measurement Group'],
  TrackingIdentifier: ['112039', 'DCM', 'Tracking Identifier'],
  TrackingUniqueIdentifier: ['112040', 'DCM', 'Tracking Unique Identifier'],
  Finding: ['121071', 'DCM', 'Finding'],
  MeasurementMethod: ['370129005', 'SCT', 'Measurement Method'],
  Language: ['121049', 'DCM', 'Language of Content Item and Descendants'],
} as const satisfies Readonly<Record<string, CodeTriplet>>;

/** A code to compare with, with or without its meaning. */
export type KnownCode = readonly [value: string, scheme: string, meaning?: string];

/** What a content item is about. */
export function conceptOf(item: DataSet): Code | undefined {
  return findCode(item, Tag.ConceptNameCodeSequence);
}

/** Whether a code is this one. Codes of SRT and SCT for the same thing are listed both. */
export function isOneOfCodes(code: Code | undefined, ...known: readonly KnownCode[]): boolean {
  return known.some(([value, scheme]) => code?.value === value && code.scheme === scheme);
}
