import { expect, test } from 'vitest';
import { formatKept, parseKept } from './keptMeasurements.ts';
import type { Measurement } from './measurement.ts';

const LENGTH: Measurement = {
  id: 7,
  kind: 'length',
  fileIndex: 3,
  frame: 0,
  points: [
    { x: 0.125, y: 1 },
    { x: 3, y: 4 },
  ],
  scale: { spacingMm: [1, 1], source: 'pixel_spacing', aspect: 1, regions: [] },
  values: undefined,
};

test('what was kept comes back in the same run of the server, and new ids follow', () => {
  expect(parseKept(formatKept([LENGTH], 1_000), 1_000)).toEqual({ items: [LENGTH], nextId: 8 });
});

test('in another run of the server nothing of it is left: its files have other numbers', () => {
  expect(parseKept(formatKept([LENGTH], 1_000), 2_000)).toBeUndefined();
});

test('what is not of this form is left out', () => {
  const odd = {
    serverStartMs: 1,
    items: [{ id: 1, kind: 'volume' }, { ...LENGTH, points: [{ x: 'a' }] }, LENGTH, null],
  };

  expect(parseKept(JSON.stringify(odd), 1)?.items).toEqual([{ ...LENGTH }]);
  expect(parseKept('{"serverStartMs":1', 1)).toBeUndefined();
  expect(parseKept(undefined, 1)).toBeUndefined();
});
