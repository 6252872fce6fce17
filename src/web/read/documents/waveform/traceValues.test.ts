import { expect, test } from 'vitest';
import type { WireWaveformGroup } from '../../../../shared/contract/waveforms.ts';
import { findTraceValues, valueAt } from './traceValues.ts';

const CHANNEL = {
  label: '',
  lead: null,
  source: null,
  unit: 'mV',
  sensitivity: 1,
  sensitivity_correction: 1,
  baseline: 0,
  bits_stored: 16,
  filter_low_hz: null,
  filter_high_hz: null,
  notch_hz: null,
};

const GROUP: WireWaveformGroup = {
  label: '',
  originality: null,
  start_s: 2,
  sampling_frequency: 100,
  channel_count: 2,
  sample_count: 1_000,
  declared_sample_count: 1_000,
  bits_allocated: 16,
  sample_interpretation: 'SS',
  problem: null,
  channels: [
    { ...CHANNEL, skew_s: 0.001 },
    { ...CHANNEL, skew_s: 0 },
  ],
};

const address = { group: 0, from: 50, to: 54, channels: [1, 0], most: 4 };
const term = (channel: number, factor = 1) => ({ group: 0, channel, factor });

test('a sample is at the start of the group, its number and the skew of its channel', () => {
  const values = [Float32Array.of(1, 2, 3, 4), Float32Array.of(10, 20, Number.NaN, 40)];
  const trace = findTraceValues([GROUP], [{ ...address, isMinMax: false, values }], [term(0)])!;
  // 2 s, 50 samples of 10 ms, and 1 ms.
  expect(trace.startS).toBeCloseTo(2.501, 9);
  expect(valueAt(trace, 2.512)).toBe(20);
  expect(valueAt(trace, 2.521)).toBeUndefined();
  expect(valueAt(trace, 9)).toBeUndefined();
  const sum = findTraceValues([GROUP], [{ ...address, isMinMax: false, values }], [term(1, -1), term(0, 1)])!;
  expect(sum.values.slice(0, 2)).toEqual(Float32Array.of(9, 18));
});

test('parts are in the middle of their samples, and upside down the lowest value is the highest', () => {
  const values = [Float32Array.of(1, 2, 3, 4), Float32Array.of(0, 0, 0, 0)];
  const trace = findTraceValues([GROUP], [{ ...address, to: 70, isMinMax: true, values }], [term(1, -1)])!;
  expect([...trace.values]).toEqual([-2, -1, -4, -3]);
  // Parts of ten samples: the middle of the first is 4.5 samples after sample 50.
  expect([trace.startS, trace.stepS]).toEqual([2.545, 0.1]);
});
