import { expect, test } from 'vitest';
import { mergeClusters } from './mergeClusters.ts';

const CLUSTERS = {
  cell: 64,
  x: Float32Array.of(10, 30, 70),
  y: Float32Array.of(10, 20, 5),
  parts: Uint32Array.of(1, 2, 1),
  counts: Uint32Array.of(3, 1, 2),
  width: 1,
  values: Float32Array.of(10, 20, NaN),
  bins: new Uint32Array(0),
};

test('the annotations of a cell are one cluster in their middle, with the color of the most frequent part', () => {
  expect(mergeClusters(CLUSTERS, () => true)).toEqual([
    // (3 x 10 + 30) / 4 and (3 x 10 + 20) / 4
    { x: 15, y: 12.5, count: 4, part: 1, value: NaN, left: 0, top: 0 },
    { x: 70, y: 5, count: 2, part: 1, value: NaN, left: 64, top: 0 },
  ]);
});

test('hidden parts are not counted', () => {
  expect(mergeClusters(CLUSTERS, (part) => part === 2)).toMatchObject([{ x: 30, y: 20, count: 1, part: 2 }]);
});

test('only those that are counted are in a cluster, and nothing is left of one without any', () => {
  const counts = [1, 1, 0];
  const merged = mergeClusters(
    CLUSTERS,
    () => true,
    (entry) => counts[entry]!,
  );
  expect(merged).toMatchObject([{ x: 20, y: 15, count: 2 }]);
});

test('a cluster has the mean value of its annotations, if they have values', () => {
  const merged = mergeClusters(
    CLUSTERS,
    () => true,
    (entry) => CLUSTERS.counts[entry]!,
    (entry) => CLUSTERS.values[entry]!,
  );
  // (3 x 10 + 20) / 4
  expect(merged.map(({ value }) => value)).toEqual([12.5, NaN]);
});
