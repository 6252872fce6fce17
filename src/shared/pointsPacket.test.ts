import { expect, test } from 'vitest';
import { decodePoints, encodePoints, type PointsPacket } from './pointsPacket.ts';

test.each<[string, PointsPacket]>([
  [
    'annotations',
    {
      rows: 10,
      columns: 20,
      content: {
        parts: Uint32Array.of(1, 2, 1),
        types: Uint8Array.of(0, 2, 3),
        starts: Uint32Array.of(0, 1, 4, 8),
        points: Float32Array.from({ length: 16 }, (_, i) => i / 4),
        numbers: Uint32Array.of(1, 1, 2),
        width: 2,
        values: Float32Array.of(1.5, NaN, 3, 4, NaN, NaN),
      },
    },
  ],
  [
    'clusters',
    {
      rows: 1024,
      columns: 1024,
      content: {
        cell: 64,
        x: Float32Array.of(1.5, 70),
        y: Float32Array.of(2.5, 3),
        parts: Uint32Array.of(4, 5),
        counts: Uint32Array.of(1_000_000, 2),
        width: 1,
        values: Float32Array.of(0.5, NaN),
        bins: Uint32Array.from({ length: 64 }, (_, at) => at),
      },
    },
  ],
])('a packet of %s is the same after it was sent', (_, packet) => {
  expect(decodePoints(encodePoints(9, packet).buffer)).toEqual(packet);
});
