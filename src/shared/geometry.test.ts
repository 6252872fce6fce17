import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  buildImagePlane,
  buildOrientation,
  cross,
  hasSameOrientation,
  type ImagePlane,
  normalOf,
  patientToPixel,
  pixelToPatient,
  planeToPlane,
  positionAlong,
  type Vector3,
} from './geometry.ts';

const AXIAL = [1, 0, 0, 0, 1, 0];

function createPlane(overrides: Partial<ImagePlane> = {}): ImagePlane {
  return {
    position: [-100, -80, 40],
    rowDirection: [1, 0, 0],
    columnDirection: [0, 1, 0],
    rowSpacingMm: 2,
    columnSpacingMm: 0.5,
    ...overrides,
  };
}

describe('an image plane', () => {
  test('maps row and column by the equation of PS3.3 C.7.6.2.1.1, rows by the first value of Pixel Spacing', () => {
    // -100 + 10 columns of 0.5 mm; -80 + 3 rows of 2 mm.
    expect(pixelToPatient(createPlane(), { row: 3, column: 10 })).toEqual([-95, -74, 40]);
  });

  test('has its normal towards the head if axial, and towards the front or side if coronal or sagittal', () => {
    expect(withoutMinusZero(normalOf(createPlane()))).toEqual([0, 0, 1]);
    // Coronal: rows to the left, columns to the feet. x cross -z = y, the patient's back.
    expect(withoutMinusZero(normalOf({ rowDirection: [1, 0, 0], columnDirection: [0, 0, -1] }))).toEqual([0, 1, 0]);
    // Sagittal: rows to the back, columns to the feet. y cross -z = -x, the patient's right.
    expect(withoutMinusZero(normalOf({ rowDirection: [0, 1, 0], columnDirection: [0, 0, -1] }))).toEqual([-1, 0, 0]);
  });

  test('gives the distance of a point from it', () => {
    expect(patientToPixel(createPlane(), [-100, -80, 42.5])).toEqual({ row: 0, column: 0, distanceMm: 2.5 });
  });

  test.each([
    ['no position', undefined, AXIAL, [1, 1]],
    ['a short position', [1, 2], AXIAL, [1, 1]],
    ['no orientation', [0, 0, 0], undefined, [1, 1]],
    ['an orientation of zeros', [0, 0, 0], [0, 0, 0, 0, 0, 0], [1, 1]],
    ['directions that are not perpendicular', [0, 0, 0], [1, 0, 0, 0.6, 0.8, 0], [1, 1]],
    ['a spacing of zero', [0, 0, 0], AXIAL, [0, 1]],
    ['no spacing', [0, 0, 0], AXIAL, undefined],
    ['a value that is no number', [0, NaN, 0], AXIAL, [1, 1]],
  ])('is not built from %s', (_, position, orientation, spacing) => {
    expect(buildImagePlane(position, orientation, spacing)).toBeUndefined();
  });

  test('accepts rounded directions, and normalizes them', () => {
    const plane = buildOrientation([0.6001, 0.8001, 0, 0, 0, -1]);
    expect(Math.hypot(...(plane?.rowDirection ?? []))).toBeCloseTo(1, 12);
  });

  test('has another orientation if an axis is flipped', () => {
    expect(hasSameOrientation(createPlane(), createPlane({ rowDirection: [-1, 0, 0] }), 1e-4)).toBe(false);
    expect(hasSameOrientation(createPlane(), createPlane({ rowDirection: [1, 5e-5, 0] }), 1e-4)).toBe(true);
  });

  test('has its projection on the normal as position', () => {
    expect(positionAlong([0, 0, 1], [-100, -80, 40])).toBe(40);
  });
});

describe('for any plane', () => {
  test('a pixel converted to patient coordinates and back is the same', () => {
    fc.assert(
      fc.property(anyPlane(), anyPixel(), (plane, pixel) => {
        const back = patientToPixel(plane, pixelToPatient(plane, pixel));
        expect(back.row).toBeCloseTo(pixel.row, 6);
        expect(back.column).toBeCloseTo(pixel.column, 6);
        expect(back.distanceMm).toBeCloseTo(0, 6);
      }),
    );
  });

  test('a pixel comes back also if the writer has rounded the directions, so that they are not perpendicular', () => {
    // A hundredth of a degree between the axes is 0.09 columns after 500 rows of the same spacing.
    const [angle, row, column] = [1.8e-4, 500, 300];
    const plane = createPlane({ columnDirection: [Math.sin(angle), Math.cos(angle), 0], rowSpacingMm: 0.5 });
    const back = patientToPixel(plane, pixelToPatient(plane, { row, column }));
    expect(back.row).toBeCloseTo(row, 9);
    expect(back.column).toBeCloseTo(column, 9);
  });

  test('the matrix to another plane equals the two steps through patient coordinates', () => {
    fc.assert(
      fc.property(anyPlane(), anyPlane(), anyPixel(), (from, to, { row, column }) => {
        const m = planeToPlane(from, to);
        const direct = patientToPixel(to, pixelToPatient(from, { row, column }));
        expect(m[0] * row + m[1] * column + m[2]).toBeCloseTo(direct.row, 4);
        expect(m[3] * row + m[4] * column + m[5]).toBeCloseTo(direct.column, 4);
      }),
    );
  });
});

function finite(min: number, max: number) {
  return fc.double({ min, max, noNaN: true });
}

function withoutMinusZero(vector: Vector3): number[] {
  return vector.map((component) => component + 0);
}

function anyPixel() {
  return fc.record({ row: fc.integer({ min: 0, max: 500 }), column: fc.integer({ min: 0, max: 500 }) });
}

/** Any rotation: a random direction, and a second one rotated about it. */
function anyPlane(): fc.Arbitrary<ImagePlane> {
  return fc
    .record({
      azimuth: finite(0, 2 * Math.PI),
      height: finite(-1, 1),
      turn: finite(0, 2 * Math.PI),
      position: fc.tuple(finite(-500, 500), finite(-500, 500), finite(-500, 500)),
      rowSpacingMm: finite(0.1, 5),
      columnSpacingMm: finite(0.1, 5),
    })
    .map(({ azimuth, height, turn, position, rowSpacingMm, columnSpacingMm }) => {
      const radius = Math.sqrt(1 - height * height);
      const rowDirection: Vector3 = [radius * Math.cos(azimuth), radius * Math.sin(azimuth), height];
      const aside: Vector3 = Math.abs(height) < 0.9 ? [0, 0, 1] : [1, 0, 0];
      const u = unit(cross(rowDirection, aside));
      const v = cross(rowDirection, u);
      const mix = (axis: 0 | 1 | 2) => u[axis] * Math.cos(turn) + v[axis] * Math.sin(turn);
      return { position, rowDirection, columnDirection: [mix(0), mix(1), mix(2)], rowSpacingMm, columnSpacingMm };
    });
}

function unit(a: Vector3): Vector3 {
  const length = Math.hypot(...a);
  return [a[0] / length, a[1] / length, a[2] / length];
}
