import { expect, test } from 'vitest';
import { type LayerRef, numberOfLayer, toLayerRef } from './layerRef.ts';

test.each<[LayerRef, number]>([
  [{ file: 0 }, 0],
  [{ file: 999_999 }, 999_999],
  [{ attachment: 0 }, 1_000_000],
  [{ attachment: 16_383 }, 1_016_383],
])('the layer of %j has the number %i in addresses', (ref, number) => {
  expect(numberOfLayer(ref)).toBe(number);
  expect(toLayerRef(number)).toEqual(ref);
});
