import { expect, test } from 'vitest';
import { hungSeries } from '../../../test/support/hungSeries.ts';
import { parseHanging } from './parseHanging.ts';
import { planHanging } from './planHanging.ts';
import { ruleOfScreen } from './ruleOfScreen.ts';
import { writeHangingRule } from './writeHangingRule.ts';

const soft = hungSeries('soft', { SeriesDescription: "Abdomen 'soft'" });
const lung = hungSeries('lung', { SeriesDescription: 'Lung' });
const pet = hungSeries('pet', { Modality: 'PT' });
const study = [soft, lung, pet];

const screen = {
  layout: { rows: 1, columns: 3 },
  cells: [
    { series: lung, view: 'coronal', window: { center: -600, width: 1500 }, layers: [pet] },
    { series: soft, view: 'images', window: 'file', layers: [] },
    undefined,
  ],
  links: ['scroll'],
} as const;

test('a rule of the screen shows the same study as it was', () => {
  const rule = ruleOfScreen('Mine', screen, study);
  const plan = planHanging([rule], study);
  expect(
    plan?.cells.map((cell) => [cell?.series.id, cell?.view, cell?.window, cell?.layers.map(({ id }) => id)]),
  ).toEqual([
    ['lung', 'coronal', { center: -600, width: 1500 }, ['pet']],
    ['soft', 'images', 'file', []],
  ]);
  expect(plan?.links).toEqual(['scroll']);
  // Only what tells the series apart is in the conditions.
  expect(rule.cells.map(({ series }) => series)).toEqual([
    "Modality = 'CT' and Plane = 'axial' and SeriesDescription = 'Lung'",
    "Modality = 'CT' and Plane = 'axial'",
    'Images < 0',
  ]);
});

test('a rule of the screen can be written and read', () => {
  const rule = ruleOfScreen('Mine', screen, study);
  expect(parseHanging(JSON.stringify({ rules: [writeHangingRule(rule)] }))).toEqual({ ok: true, rules: [rule] });
});
