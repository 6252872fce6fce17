import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeMasks, encodeMasks, type MaskLayer } from './maskLayers.ts';

const box = fc.record({
  frame: fc.nat(100_000),
  segment: fc.option(fc.nat(65_535), { nil: undefined }),
  top: fc.nat(500),
  left: fc.nat(500),
  rows: fc.integer({ min: 0, max: 9 }),
  columns: fc.integer({ min: 0, max: 9 }),
});

function layerOf(kind: MaskLayer['kind'], most: number) {
  return box.chain((place) => {
    const length = place.rows * place.columns;
    const limits = { minLength: length, maxLength: length, max: most };
    const samples = most > 255 ? fc.uint16Array(limits) : fc.uint8Array(limits);
    return samples.map((values): MaskLayer => ({
      ...place,
      kind,
      maximum: kind === 'fractions' ? 255 : undefined,
      samples: values,
    }));
  });
}

test('layers of every kind are restored as they were sent', () => {
  const layer = fc.oneof(
    layerOf('mask', 1),
    layerOf('fractions', 255),
    layerOf('labels', 255),
    layerOf('labels', 65_535),
  );
  fc.assert(
    fc.property(fc.array(layer, { maxLength: 5 }), (layers) => {
      const sent = { rows: 512, columns: 300, layers, damaged: [] };

      expect(decodeMasks(encodeMasks(sent).buffer)).toEqual(sent);
    }),
  );
});

test('a mask has one bit per sample, with the first in the lowest bit', () => {
  // 1 0 1 / 1 0 0 / 0 1 1: bits 0, 2, 3, 7 and 8 are 1 + 4 + 8 + 128 = 141 and 1.
  const samples = Uint8Array.of(1, 0, 1, 1, 0, 0, 0, 1, 1);
  const layer = {
    frame: 0,
    segment: 1,
    kind: 'mask',
    maximum: undefined,
    top: 0,
    left: 0,
    rows: 3,
    columns: 3,
  } as const;

  const bytes = encodeMasks({ rows: 3, columns: 3, layers: [{ ...layer, samples }], damaged: [] });

  expect(Array.from(bytes.slice(-2))).toEqual([141, 1]);
});
