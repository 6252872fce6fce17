import { expect, test } from 'vitest';
import { mapSamples, toNumberSamples } from './sampleArray.ts';

/** Fails if somebody iterates over the samples, because that makes an object of each. */
function withoutIterator<Samples extends object>(samples: Samples): Samples {
  return Object.defineProperty(samples, Symbol.iterator, {
    value: () => {
      throw new Error('samples are listed one by one');
    },
  });
}

test('a function of samples is written without a list of them', () => {
  const samples = withoutIterator(Float64Array.of(1, NaN, 3));
  expect(mapSamples(samples, new Float32Array(3), (value) => 2 * value)).toEqual(Float32Array.of(2, NaN, 6));
});

test('64-bit integers become numbers without a list of them', () => {
  const samples = withoutIterator(BigInt64Array.of(-1n, 2n ** 53n));
  expect(toNumberSamples(samples)).toEqual(Float64Array.of(-1, 2 ** 53));
});
