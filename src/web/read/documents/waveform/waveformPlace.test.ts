import { expect, test } from 'vitest';
import type { WaveformResponse, WireWaveformGroup } from '../../../../shared/contract/waveforms.ts';
import { formatPlace, parsePlace } from './waveformPlace.ts';

const group = (more: Partial<WireWaveformGroup>): WireWaveformGroup => ({
  label: '',
  originality: 'ORIGINAL',
  start_s: 0,
  sampling_frequency: 100,
  channel_count: 0,
  sample_count: 1_000,
  declared_sample_count: 1_000,
  bits_allocated: 16,
  sample_interpretation: 'SS',
  channels: [],
  problem: null,
  ...more,
});

const ANSWER: WaveformResponse = {
  file_index: 0,
  is_ecg: true,
  is_audio: false,
  acquisition_time: null,
  groups: [
    group({ originality: 'DERIVED', sample_count: 2_000 }),
    group({ sample_count: 9_000, problem: 'Sampling Frequency is 0' }),
    group({ start_s: 5 }),
    group({ start_s: 5, sample_count: 1_100 }),
  ],
  annotations: [],
  annotation_count: 0,
  warnings: [],
};

test.each([
  // The first original group that can be read starts after 5 s and is 10 s long; another is a little longer.
  [undefined, { group: 2, startS: 5 }],
  ['', { group: 2, startS: 5 }],
  ['3@7.25', { group: 2, startS: 7.25 }],
  ['3@99', { group: 2, startS: 15 }],
  ['1@1', { group: 0, startS: 1 }],
  ['2@6', { group: 2, startS: 6 }],
  ['all@2', { group: 'all', startS: 2 }],
  ['9@1', { group: 2, startS: 5 }],
  ['<b>', { group: 2, startS: 5 }],
] as const)('the place %s of an address is group and time', (item, place) => {
  expect(parsePlace(item, ANSWER)).toEqual(place);
});

test('a place is written as it is read', () => {
  expect(formatPlace({ group: 2, startS: 7.25 })).toBe('3@7.25');
  expect(formatPlace({ group: 'all', startS: 0 })).toBe('all@0');
});
