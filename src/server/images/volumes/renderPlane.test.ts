import { expect, test } from 'vitest';
import { toPlaneSamples } from './renderPlane.ts';

test('modality values of a plane are made without a list of its samples', () => {
  // Stored samples of 16 bits leave none free for outside, so they become 32-bit floats: 2 x 3 + 1 = 7.
  const values = Object.defineProperty(Float64Array.of(3, NaN), Symbol.iterator, {
    value: () => {
      throw new Error('samples are listed one by one');
    },
  });
  const sample = {
    storage: 'uint16',
    isModality: false,
    bitsStored: 16,
    photometricInterpretation: 'MONOCHROME2',
    rescale: { slope: 2, intercept: 1 },
    padding: undefined,
    unit: '',
    voi: { windows: [], tables: [], shape: undefined },
  } as const;
  const { samples } = toPlaneSamples(values, { sample, wantsFloat: false, hasRescales: false });

  expect(samples).toEqual(Float32Array.of(7, NaN));
});
