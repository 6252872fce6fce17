import { expect, test } from 'vitest';
import type { WireWaveformChannel } from '../../../../shared/contract/waveforms.ts';
import { chooseLayout, type PaperOptions, planPaper } from './planPaper.ts';
import { toStripPoint, yOf } from './strips.ts';

const channel = (lead: string, unit: string | null = 'µV', skew_s = 0): WireWaveformChannel => ({
  label: lead,
  lead,
  source: null,
  unit,
  sensitivity: 1,
  sensitivity_correction: 1,
  baseline: 0,
  skew_s,
  bits_stored: 16,
  filter_low_hz: null,
  filter_high_hz: null,
  notch_hz: null,
});

const TWELVE = ['I', 'II', 'III', 'aVR', 'aVL', 'aVF', 'V1', 'V2', 'V3', 'V4', 'V5', 'V6'];
const OPTIONS: PaperOptions = {
  group: 0,
  channels: TWELVE.map((lead) => channel(lead)),
  layout: '3x4',
  startS: 20,
  seconds: 10,
  mmPerS: 25,
  mmPerMv: 10,
  pxPerMm: 4,
  isDerived: false,
};

test('the rows of 3 × 4 show 2.5 s of each lead one after another, and all 10 s of lead II', () => {
  const { strips } = planPaper(OPTIONS);
  const rows = [0, 1, 2].map((row) =>
    strips
      .slice(0, 12)
      .filter((_, at) => at % 3 === row)
      .map(({ name }) => name),
  );
  expect(rows).toEqual([
    ['I', 'aVR', 'V1', 'V4'],
    ['II', 'aVL', 'V2', 'V5'],
    ['III', 'aVF', 'V3', 'V6'],
  ]);
  expect(strips.find(({ name }) => name === 'V4')).toMatchObject({ startS: 27.5, width: 2.5 * 25 * 4 });
  expect(strips.at(-1)).toMatchObject({ name: 'II', startS: 20, width: 10 * 25 * 4 });
});

test('6 × 2, 12 × 1 and Cabrera have all twelve leads, with -aVR as aVR upside down', () => {
  for (const layout of ['6x2', '12x1'] as const)
    expect(planPaper({ ...OPTIONS, layout }).strips.map(({ name }) => name)).toEqual(TWELVE);
  const { strips } = planPaper({ ...OPTIONS, layout: 'cabrera' });
  expect(strips.slice(0, 6).map(({ name }) => name)).toEqual(['aVL', 'I', '-aVR', 'II', 'aVF', 'III']);
  expect(strips[2]?.terms).toEqual([{ group: 0, channel: 3, factor: -0.001 }]);
});

test.each([5, 10, 20])('a millivolt is %d mm of the grid high, and a second is 50 mm long', (mmPerMv) => {
  const { strips, steps, pxPerMm } = planPaper({ ...OPTIONS, mmPerMv, mmPerS: 50 });
  const strip = strips[0]!;
  expect(yOf(strip, 0) - yOf(strip, 1)).toBe(mmPerMv * pxPerMm);
  // So is the step of calibration of each of the four rows, and its foot is on a strong line.
  expect(steps.map(({ heightPx }) => heightPx)).toEqual(Array(4).fill(mmPerMv * pxPerMm));
  expect(steps.map(({ zeroY }) => zeroY % (5 * pxPerMm))).toEqual([0, 0, 0, 0]);
  // 50 mm of 4 pixels after the left edge is one second.
  expect(toStripPoint(strip, strip.left + 200, yOf(strip, 0.5))).toEqual({ timeS: 21, value: 0.5 });
});

test('a lead that was not recorded stays empty until the user wants it derived from I and II', () => {
  const channels = [channel('I'), channel('II', 'mV')];
  const find = (isDerived: boolean, of = channels) =>
    planPaper({ ...OPTIONS, channels: of, layout: '12x1', isDerived }).strips.find(({ name }) => name === 'III');
  expect(find(false)).toMatchObject({ note: 'not recorded', terms: [] });
  // III = II - I, here in millivolts of microvolts and millivolts.
  expect(find(true)).toMatchObject({
    note: 'derived',
    terms: [
      { channel: 0, factor: -0.001 },
      { channel: 1, factor: 1 },
    ],
  });
  expect(find(true, [channel('I'), channel('II', 'µV', 0.001)])).toMatchObject({ note: 'not recorded' });
});

test('a recording of few leads is drawn as recorded, without channels that are no voltage', () => {
  const channels = [channel('I'), channel('V5'), channel('Pressure', 'mmHg')];
  expect(chooseLayout(channels)).toBe('stored');
  expect(planPaper({ ...OPTIONS, channels, layout: 'stored' }).strips.map(({ name }) => name)).toEqual(['I', 'V5']);
  expect(chooseLayout(OPTIONS.channels)).toBe('3x4');
});
