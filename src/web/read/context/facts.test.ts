import { expect, test } from 'vitest';
import type { WireRealWorldMapping } from '../../../shared/contract/semantics.ts';
import { describeLinear, describeOffsets, mappingFacts } from './facts.ts';

test.each([
  [[], 'not declared'],
  [[0], '1'],
  [[0, 2.5, 5], '3, 2.5 mm apart'],
  [[0, -3, -6, -9], '4, 3 mm apart'],
  [[0, 3, 7], '3, unevenly spaced from 0 to 7 mm'],
])('planes at %j are %s', (offsets, text) => {
  expect(describeOffsets(offsets)).toBe(text);
});

test.each([
  [1, -1024, 'stored × 1 − 1024'],
  [0.5, 0, 'stored × 0.5'],
  [2, 3, 'stored × 2 + 3'],
])('slope %d and intercept %d are %s', (slope, intercept, text) => {
  expect(describeLinear(slope, intercept)).toBe(text);
});

const LINEAR: WireRealWorldMapping = {
  source: 'embedded',
  source_sop_instance_uid: null,
  label: 'ADC',
  first_value_mapped: 0,
  last_value_mapped: 4095,
  slope: 0.001,
  intercept: 0,
  lut_data: [],
  lut_data_truncated: false,
  units: { value: 'mm2/s', scheme: 'UCUM', meaning: 'mm2/s' },
  quantity: { value: '113041', scheme: 'DCM', meaning: 'Apparent Diffusion Coefficient' },
  derivation: null,
};

test('a mapping says what it maps, to what, and how', () => {
  expect(mappingFacts(LINEAR)).toEqual([
    ['Quantity', 'Apparent Diffusion Coefficient (113041, DCM)'],
    ['Units', 'mm²/s (mm2/s, UCUM)'],
    ['Derivation', undefined],
    ['Stored range', '0 to 4095'],
    ['Real value', 'stored × 0.001'],
  ]);
});

test.each([
  [{ value: "[hnsf'U]", scheme: 'UCUM', meaning: 'Hounsfield unit' }, "HU, Hounsfield unit ([hnsf'U], UCUM)"],
  [{ value: 'ml/ml', scheme: 'UCUM', meaning: 'ml/ml' }, 'ml/ml (UCUM)'],
  [{ value: '1', scheme: 'UCUM', meaning: 'no units' }, 'no units (1, UCUM)'],
  [{ value: 'X1', scheme: '99LOCAL', meaning: 'arbitrary units' }, 'arbitrary units (X1, 99LOCAL)'],
])('units of the code %j are %s', (units, text) => {
  expect(mappingFacts({ ...LINEAR, units })[1]).toEqual(['Units', text]);
});

test('a table is described by its length and ends', () => {
  const table = { ...LINEAR, slope: null, intercept: null, lut_data: [1, 2, 40] };

  expect(mappingFacts(table).at(-1)?.[1]).toBe('table of 3 values, from 1 to 40');
  expect(mappingFacts({ ...table, lut_data_truncated: true }).at(-1)?.[1]).toBe('table of more than 3 values, from 1');
});
