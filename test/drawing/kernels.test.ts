import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { growMask, shrinkMask } from '../../src/shared/maskTools/ballMask.ts';
import { floodFill } from '../../src/shared/maskTools/floodFill.ts';
import { fillHoles, keepLargest, removeIslands } from '../../src/shared/maskTools/maskParts.ts';
import { markRange } from '../../src/shared/maskTools/markRange.ts';
import { smoothMask } from '../../src/shared/maskTools/smoothMask.ts';
import type { GridSpacing, VoxelGrid } from '../../src/shared/maskTools/voxelGrid.ts';
import { NO_RESCALE } from '../../src/shared/modality.ts';

type Three = readonly [number, number, number];
type Ball = { readonly radius: number; readonly bits: string };
type Recorded = {
  readonly size: Three;
  readonly spacing: Three;
  readonly samples: string;
  readonly mask: string;
  readonly region: { readonly seed: Three; readonly low: number; readonly high: number; readonly bits: string };
  readonly holes: string;
  readonly islands: { readonly least: number; readonly bits: string };
  readonly largest: string;
  readonly grown: Ball;
  readonly shrunk: Ball;
  readonly smooth: Ball;
};

/** By SimpleITK, scikit-image and scipy: makeAnswers.py. */
const { cases }: { readonly cases: readonly Recorded[] } = JSON.parse(
  readFileSync(new URL('answers.json', import.meta.url), 'utf8'),
);

const unpack = (text: string) => new Uint8Array(inflateSync(Buffer.from(text, 'base64')));

function gridOf({ size: [columns, rows, slices], spacing: [column, row, step] }: Recorded) {
  const grid: VoxelGrid = { columns, rows, slices };
  const spacing: GridSpacing = { column, row, positions: Array.from({ length: slices }, (_, slice) => slice * step) };
  return { grid, spacing };
}

const NUMBERED = cases.map((one, at) => ({ at, size: one.size.join(' x '), spacing: one.spacing.join(' x '), one }));

describe.each(NUMBERED)(
  'case $at, $size samples of $spacing mm, is as SimpleITK and scikit-image have it:',
  ({ one }) => {
    const { grid, spacing } = gridOf(one);
    const mask = unpack(one.mask);

    test('the region that grows from a sample within a range', () => {
      const { seed, low, high, bits } = one.region;
      const samples = new Int16Array(unpack(one.samples).buffer);
      const state = new Uint8Array(samples.length);
      markRange(samples, NO_RESCALE, { low, high }, state);
      const [x, y, z] = seed;
      const count = floodFill(state, grid, (z * grid.rows + y) * grid.columns + x, { from: 1, to: 2 });
      const wanted = unpack(bits);
      expect(state.map((value) => Number(value === 2))).toEqual(wanted);
      expect(count).toBe(wanted.reduce((sum, bit) => sum + bit, 0));
    });

    test('holes, islands and the largest part', () => {
      expect(fillHoles(mask, grid)).toEqual(unpack(one.holes));
      expect(removeIslands(mask, grid, one.islands.least)).toEqual(unpack(one.islands.bits));
      expect(keepLargest(mask, grid)).toEqual(unpack(one.largest));
    });

    test('a mask that is larger, smaller or smoother by millimetres', () => {
      expect(growMask(mask, grid, { spacing, radius: one.grown.radius })).toEqual(unpack(one.grown.bits));
      expect(shrinkMask(mask, grid, { spacing, radius: one.shrunk.radius })).toEqual(unpack(one.shrunk.bits));
      expect(smoothMask(mask, grid, { spacing, radius: one.smooth.radius })).toEqual(unpack(one.smooth.bits));
    });
  },
);
