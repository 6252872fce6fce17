import { expect, test } from 'vitest';
import { NO_WORDS } from './measurement.ts';
import { formatKept, type CutMarks, parseKept } from './keptMeasurements.ts';

const CUT = { key: '3/0 mip', sourceId: 'mip/3', position: 4, name: 'Rotating MIP', isProjected: true };
const LENGTH: CutMarks[number] = [
  '2.25.7',
  {
    kind: 'length',
    place: { type: 'cut', file_index: 3, frame_index: 0, cut: CUT },
    points: [
      [0.125, 1],
      [3, 4],
    ],
    ...NO_WORDS,
  },
];

test('what was kept comes back in the same run of the server', () => {
  expect(parseKept(formatKept([LENGTH], 1_000), 1_000)).toEqual([LENGTH]);
});

test('in another run of the server nothing of it is left: its files have other numbers', () => {
  expect(parseKept(formatKept([LENGTH], 1_000), 2_000)).toBeUndefined();
});

test('what is not of this form is left out', () => {
  const odd = {
    serverStartMs: 1,
    marks: [['1', { kind: 'volume' }], ['2', { ...LENGTH[1], points: [['a', 1]] }], LENGTH, null],
  };

  expect(parseKept(JSON.stringify(odd), 1)).toEqual([LENGTH]);
  expect(parseKept('{"serverStartMs":1', 1)).toBeUndefined();
  expect(parseKept(undefined, 1)).toBeUndefined();
});
