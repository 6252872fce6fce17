import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cross, type ImagePlane, patientToPixel, pixelToPatient, type Vector3 } from '../../../../shared/geometry.ts';
import { createRowSampler, type SpatialGrid } from './resample.ts';

/** Two perpendicular unit vectors, rotated by three angles. */
function turn([a, b, c]: readonly [number, number, number]): readonly [Vector3, Vector3] {
  const row: Vector3 = [Math.cos(a) * Math.cos(b), Math.sin(a) * Math.cos(b), Math.sin(b)];
  const side: Vector3 = [-Math.sin(a), Math.cos(a), 0];
  const up = cross(row, side);
  return [row, mix(side, up, [Math.cos(c), Math.sin(c)])];
}

function mix(a: Vector3, b: Vector3, [p, q]: readonly [number, number]): Vector3 {
  const part = (axis: 0 | 1 | 2) => p * a[axis] + q * b[axis];
  return [part(0), part(1), part(2)];
}

function resample(mask: Uint8Array, from: SpatialGrid, to: SpatialGrid): Uint8Array {
  const sampleRow = createRowSampler(to, from);
  const places = new Int32Array(to.columns);
  const result = new Uint8Array(to.rows * to.columns);
  for (let row = 0; row < to.rows; row++) {
    sampleRow(row, places);
    for (const [column, place] of places.entries()) result[row * to.columns + column] = place < 0 ? 0 : mask[place]!;
  }
  return result;
}

const angle = fc.double({ min: -3.1, max: 3.1, noNaN: true });
const offset = fc.double({ min: -200, max: 200, noNaN: true });

/** A grid anywhere in space, and one in the same plane: rotated in it, shifted, mirrored, and fine enough. */
const grids = fc
  .record({
    angles: fc.tuple(angle, angle, angle),
    position: fc.tuple(offset, offset, offset),
    spacing: fc.tuple(fc.double({ min: 0.3, max: 4, noNaN: true }), fc.double({ min: 0.3, max: 4, noNaN: true })),
    inPlane: angle,
    mirrored: fc.boolean(),
    shift: fc.tuple(fc.double({ min: -5, max: 5, noNaN: true }), fc.double({ min: -5, max: 5, noNaN: true })),
    finer: fc.double({ min: 0.2, max: 0.69, noNaN: true }),
  })
  .map(({ angles, position, spacing, inPlane, mirrored, shift, finer }) => {
    const [rowDirection, columnDirection] = turn(angles);
    const plane: ImagePlane = {
      position,
      rowDirection,
      columnDirection,
      rowSpacingMm: spacing[0],
      columnSpacingMm: spacing[1],
    };
    const sign = mirrored ? -1 : 1;
    const fine: ImagePlane = {
      position: pixelToPatient(plane, { row: shift[0], column: shift[1] }),
      rowDirection: mix(rowDirection, columnDirection, [Math.cos(inPlane), Math.sin(inPlane)]),
      columnDirection: mix(rowDirection, columnDirection, [-sign * Math.sin(inPlane), sign * Math.cos(inPlane)]),
      // The nearest of these samples is at most half a diagonal away, which is less than half of the coarse spacing.
      rowSpacingMm: finer * Math.min(...spacing),
      columnSpacingMm: finer * Math.min(...spacing),
    };
    return { plane, fine };
  });

test('a mask that goes through any rigid geometry and back keeps every sample whose centre maps inside', () => {
  const mask = fc.uint8Array({ minLength: 7 * 9, maxLength: 7 * 9, max: 1 });
  fc.assert(
    fc.property(grids, mask, ({ plane, fine }, samples) => {
      const coarse = { rows: 7, columns: 9, plane };
      const other = { rows: 40, columns: 40, plane: fine };

      const kept: boolean[] = [];
      const back = resample(resample(samples, coarse, other), other, coarse);

      for (let row = 0; row < coarse.rows; row++) {
        for (let column = 0; column < coarse.columns; column++) {
          const at = patientToPixel(fine, pixelToPatient(plane, { row, column }));
          const isInside = at.row > -0.49 && at.row < 39.49 && at.column > -0.49 && at.column < 39.49;
          const i = row * coarse.columns + column;
          if (isInside) kept.push(back[i] === samples[i]);
        }
      }
      expect(kept).not.toContain(false);
    }),
  );
});

test('a pixel takes the sample whose square it lies in, and nothing outside of all of them', () => {
  // The coarse grid has twice the spacing and the same first centre: its samples extend from -1 to 1, 1 to 3 ... mm.
  const plane = { position: [0, 0, 0], rowDirection: [1, 0, 0], columnDirection: [0, 1, 0] } as const;
  const target = { rows: 1, columns: 6, plane: { ...plane, rowSpacingMm: 1, columnSpacingMm: 1 } };
  const mask = { rows: 1, columns: 2, plane: { ...plane, rowSpacingMm: 2, columnSpacingMm: 2 } };
  const places = new Int32Array(6);

  createRowSampler(target, mask)(0, places);

  // 1 mm and 3 mm are on an edge: halves are rounded up.
  expect([...places]).toEqual([0, 1, 1, -1, -1, -1]);
});

test('without planes pixel lies over pixel', () => {
  const places = new Int32Array(3);

  createRowSampler({ rows: 2, columns: 3, plane: undefined }, { rows: 2, columns: 3, plane: undefined })(1, places);

  expect([...places]).toEqual([3, 4, 5]);
});
