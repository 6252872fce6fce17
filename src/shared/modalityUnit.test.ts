import { describe, expect, test } from 'vitest';
import { toModalityUnit } from './modalityUnit.ts';

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
