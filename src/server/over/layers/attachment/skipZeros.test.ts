import { expect, test } from 'vitest';
import { createZeroSkipper } from './skipZeros.ts';

const PRESENT = [0, 5, 6, 13, 40, 41];
const VALUES = Array.from({ length: 45 }, (_, at) => (PRESENT.includes(at) ? 7 : 0));

test.each([
  ['bytes', Uint8Array.from(VALUES)],
  ['signed bytes', Int8Array.from(VALUES)],
  ['words', Uint16Array.from(VALUES)],
  ['floats', Float32Array.from(VALUES)],
  ['bytes that begin between words', Uint8Array.from([1, ...VALUES]).subarray(1)],
])('the next element that is not 0 is found in %s, wherever the search begins and ends', (_, samples) => {
  const next = createZeroSkipper(samples);
  const wrong: number[][] = [];
  for (let at = 0; at <= VALUES.length; at += 3) {
    for (let end = at; end <= VALUES.length; end += 1) {
      const expected = PRESENT.find((place) => place >= at && place < end) ?? end;
      wrong.push(...(next(at, end) === expected ? [] : [[at, end]]));
    }
  }
  expect(wrong).toEqual([]);
});
