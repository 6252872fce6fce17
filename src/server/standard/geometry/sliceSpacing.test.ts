import { expect, test } from 'vitest';
import { createFrameGeometry } from '../../../../test/support/createFrameGeometry.ts';
import type { ImagePlane } from '../../../shared/geometry.ts';
import { measureSliceSpacing } from './sliceSpacing.ts';

type Measured = { readonly declared?: number; readonly isSlide?: boolean };

/** Axial planes at the given heights. */
function measure(heightsMm: readonly number[], { declared, isSlide = false }: Measured = {}) {
  const directions = { rowDirection: [1, 0, 0], columnDirection: [0, 1, 0] } as const;
  const planes = heightsMm.map((z): ImagePlane => ({
    position: [0, 0, z],
    ...directions,
    rowSpacingMm: 1,
    columnSpacingMm: 1,
  }));
  return measureSliceSpacing(
    createFrameGeometry(planes, { sliceSpacingMm: declared, space: isSlide ? 'slide' : 'patient' }),
  );
}

test('the spacing of planes in any order, some at the same height, is the distance of neighbours', () => {
  expect(measure([5, 0, 2.5, 2.5, 7.5, 0])).toEqual({ spacingMm: 2.5, source: 'plane_positions' });
});

test('missing slices and rounding do not change the spacing', () => {
  // There are five steps from 0 to 12.502.
  expect(measure([0, 2.5, 7.501, 12.502])).toEqual({
    spacingMm: expect.closeTo(12.502 / 5, 9),
    source: 'plane_positions',
  });
});

test('the declared spacing takes precedence over the measured one if all distances are multiples of it', () => {
  expect(measure([0, 5], { declared: 2.5 })).toEqual({ spacingMm: 2.5, source: 'declared' });
  expect(measure([3], { declared: 2.5 })).toEqual({ spacingMm: 2.5, source: 'declared' });
});

test.each<[string, readonly number[], Measured, string]>([
  ['a declared spacing that the positions contradict', [0, 3, 6], { declared: 2 }, 'contradicts'],
  ['uneven planes', [0, 2.5, 6.2], {}, 'not evenly spaced'],
  ['one plane without a declared spacing', [1, 1, 1], {}, 'one plane'],
  ['a slide', [0, 1], { isSlide: true }, 'slide'],
])('%s gives no spacing, but a reason', (_, heights, options, reason) => {
  expect(measure(heights, options)).toEqual({ reason: expect.stringContaining(reason) });
});
