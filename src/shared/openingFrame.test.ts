import { expect, test } from 'vitest';
import { chooseOpeningFrame } from './openingFrame.ts';

const [RT_DOSE, RT_IMAGE] = ['1.2.840.10008.5.1.4.1.1.481.2', '1.2.840.10008.5.1.4.1.1.481.1'];

test.each([
  [1, 0],
  [2, 1],
  [3, 1],
  [110, 55],
])('a dose of %i planes opens at the one with index %i', (frameCount, frame) => {
  expect(chooseOpeningFrame({ sopClassUid: RT_DOSE, frameCount })).toBe(frame);
});

test('any other object opens at its beginning', () => {
  expect(chooseOpeningFrame({ sopClassUid: RT_IMAGE, frameCount: 110 })).toBe(0);
});
