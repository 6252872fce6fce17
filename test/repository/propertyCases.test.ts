import * as fc from 'fast-check';
import { expect, test } from 'vitest';

test('property-based tests try the same cases in every run, unless a seed is given, as npm run check:long does', () => {
  const { NEGATO_SEED } = process.env;
  expect(fc.readConfigureGlobal().seed).toBe(Number(NEGATO_SEED ?? 20_251_116));
  expect(fc.sample(fc.integer(), 5)).toEqual(fc.sample(fc.integer(), 5));
});
