import { expect, test } from 'vitest';
import { createImagePixel } from '../../../../test/support/createImagePixel.ts';
import { countNativeFrames, countWholeNativeFrames, isHalfChroma, nativeFrameBits } from './frameLayout.ts';

test('a truncated file has its complete frames, and one more if at least a row of it exists', () => {
  const pixel = createImagePixel({ rows: 10, columns: 10, bitsAllocated: 16, numberOfFrames: 4 });

  expect(countNativeFrames(pixel, 800)).toBe(4);
  expect(countNativeFrames(pixel, 799)).toBe(4);
  expect(countWholeNativeFrames(pixel, 799)).toBe(3);
  expect(countNativeFrames(pixel, 620)).toBe(4);
  expect(countNativeFrames(pixel, 619)).toBe(3);
  expect(countNativeFrames(pixel, 19)).toBe(0);
});

test('no more frames are counted than are declared', () => {
  expect(countNativeFrames(createImagePixel({ rows: 10, columns: 10 }), 5000)).toBe(1);
});

test('one-bit frames are stored without padding between them', () => {
  // 3 x 3 pixels: 9 bits per frame, so 8 frames in 9 bytes.
  const pixel = createImagePixel({ rows: 3, columns: 3, bitsAllocated: 1, numberOfFrames: 8 });

  expect(nativeFrameBits(pixel, 9)).toBe(9);
  expect(countNativeFrames(pixel, 9)).toBe(8);
  expect(countWholeNativeFrames(pixel, 8)).toBe(7);
});

test('4:2:2 has two samples per pixel, unless the data is long enough for three', () => {
  const layout = {
    rows: 10,
    columns: 10,
    samplesPerPixel: 3,
    photometricInterpretation: 'YBR_FULL_422',
    numberOfFrames: 2,
  };
  const pixel = createImagePixel(layout);

  expect(isHalfChroma(pixel, 400)).toBe(true);
  expect(countNativeFrames(pixel, 400)).toBe(2);
  expect(isHalfChroma(pixel, 600)).toBe(false);
  expect(countNativeFrames(pixel, 600)).toBe(2);
  // The excess over 4:2:2 is more than padding: truncated expanded data.
  expect(isHalfChroma(pixel, 580)).toBe(false);
  expect(isHalfChroma(pixel, 401)).toBe(true);
});
