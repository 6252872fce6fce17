import { describe, expect, test } from 'vitest';
import { toDoseUnit, toModalityUnit } from './modalityUnit.ts';

describe('the unit of modality values', () => {
  test.each([
    ['HU', {}, 'HU'],
    ['US', { modality: 'CT' }, ''],
    [null, { modality: 'CT' }, 'HU'],
    [null, { modality: 'MR' }, ''],
    ['mgml', { modality: 'CT' }, 'mgml'],
    ['SIGNAL INTENSITY (UNITLESS)', { modality: 'MR' }, ''],
    [null, { modality: 'PT', petUnits: 'BQML' }, 'Bq/ml'],
    ['US', { modality: 'PT', petUnits: 'CNTS' }, 'counts'],
    ['BQML', { modality: 'PT' }, 'Bq/ml'],
    [null, { modality: 'PT' }, ''],
  ])('for the Rescale Type %s of %j is "%s"', (rescaleType, context, expected) => {
    expect(toModalityUnit(rescaleType, context)).toBe(expected);
  });
});

// Defined terms of Dose Units and Dose Type: PS3.3 C.8.8.3.
test.each([
  ['GY', 'PHYSICAL', 'Gy'],
  ['GY', undefined, 'Gy'],
  ['GY', 'EFFECTIVE', 'Gy (effective)'],
  ['GY', 'ERROR', 'Gy (error)'],
  ['RELATIVE', 'PHYSICAL', 'relative'],
  ['RELATIVE', 'EFFECTIVE', 'relative (effective)'],
  ['CGY', 'PHYSICAL', 'CGY'],
  [undefined, 'EFFECTIVE', ''],
])('the unit of a dose in %s of the type %s is "%s"', (doseUnits, doseType, expected) => {
  expect(toDoseUnit({ doseUnits, doseType })).toBe(expected);
});
