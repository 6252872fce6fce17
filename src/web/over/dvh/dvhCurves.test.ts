import { expect, test } from 'vitest';
import type { WirePartDvh } from '../../../shared/contract/dvh.ts';
import { highestDose, listCurves, volumeAt } from './dvhCurves.ts';

const NAMED = { name: 'PTV', color: [255, 0, 0] } as const;
const DVH: WirePartDvh = {
  part: 3,
  label: 'PTV',
  volume_cm3: 50,
  inside_dose_grid: 0.8,
  minimum: 10,
  mean: 25,
  maximum: 38,
  d: { d98: 11, d95: 12, d50: 25, d2: 37, d2cc: 36, d01cc: 38 },
  points: [],
  edges: [0, 10, 20, 30, 40, 50],
  cumulative_cm3: [40, 40, 30, 10, 0, 0],
  step_mm: 1,
  planes: 10,
  stored: {
    type: 'CUMULATIVE',
    volume_units: 'PERCENT',
    edges: [0, 20],
    cumulative: [100, 60],
    minimum: null,
    mean: null,
    maximum: null,
  },
  warnings: [],
};

test('in percent, a curve begins with all of the volume in the dose grid, and the stored one is beside it', () => {
  const [own, stored] = listCurves(DVH, NAMED, 'percent');
  expect(own).toMatchObject({ part: 3, isStored: false, volumes: [100, 100, 75, 25, 0, 0] });
  expect(stored).toMatchObject({ part: 3, isStored: true, doses: [0, 20], volumes: [100, 60] });
});

test('a stored curve in percent is not converted with our volume', () => {
  const curves = listCurves(DVH, NAMED, 'cm3');
  expect(curves.map(({ isStored, volumes }) => [isStored, volumes[0]])).toEqual([[false, 40]]);
});

test('a part without a volume has no curve', () => {
  expect(listCurves({ ...DVH, edges: [], cumulative_cm3: [], stored: null }, NAMED, 'percent')).toEqual([]);
});

test.each([
  [-1, 40],
  [0, 40],
  [15, 35],
  [25, 20],
  [39, 1],
  [60, 0],
])('at %d Gy the curve reads %d cm³', (gy, volume) => {
  const [own] = listCurves(DVH, NAMED, 'cm3');
  expect(volumeAt(own!, gy)).toBeCloseTo(volume, 9);
});

test('a plot reaches to the dose at which the last curve ends', () => {
  expect(highestDose(listCurves(DVH, NAMED, 'percent'))).toBe(40);
  expect(highestDose([])).toBe(1);
});
