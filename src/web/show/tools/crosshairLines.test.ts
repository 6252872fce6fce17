import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { turn } from '../../../../test/support/rampVolume.ts';
import { type ImagePlane, patientToPixel, pixelToPatient } from '../../../shared/geometry.ts';
import { findCrossing, type PlacedImage, toImage } from './crosshairLines.ts';

const AXIAL: ImagePlane = {
  position: [0, 0, 10],
  rowDirection: [1, 0, 0],
  columnDirection: [0, 1, 0],
  rowSpacingMm: 1,
  columnSpacingMm: 2,
};

test('a coronal picture crosses an axial one in a row of pixels, as far as both reach', () => {
  const coronal: PlacedImage = {
    // y = 5, x from 3.5 to 13.5 mm, z from 20 down to 0.
    plane: {
      position: [4, 5, 20],
      rowDirection: [1, 0, 0],
      columnDirection: [0, 0, -1],
      rowSpacingMm: 1,
      columnSpacingMm: 1,
    },
    image: { width: 10, height: 21 },
  };
  const crossing = findCrossing({ plane: AXIAL, image: { width: 40, height: 30 } }, coronal);
  // The centre of row 5 is at 5.5; a column is 2 mm, and the centre of the first one is at x = 0.
  const ends = [crossing?.from, crossing?.to].toSorted((a, b) => (a?.x ?? 0) - (b?.x ?? 0));
  expect(ends[0]).toEqual({ x: 3.5 / 2 + 0.5, y: 5.5 });
  expect(ends[1]).toEqual({ x: 13.5 / 2 + 0.5, y: 5.5 });
});

test('parallel pictures, and pictures beside each other, do not cross', () => {
  const image = { width: 10, height: 10 };
  expect(findCrossing({ plane: AXIAL, image }, { plane: { ...AXIAL, position: [0, 0, 12] }, image })).toBeUndefined();
  const aside: ImagePlane = { ...AXIAL, position: [0, 500, 0], columnDirection: [0, 0, 1] };
  expect(findCrossing({ plane: AXIAL, image }, { plane: aside, image })).toBeUndefined();
});

test('every point of a crossing lies in both planes and in both pictures', () => {
  const angle = fc.double({ min: -3, max: 3, noNaN: true });
  const shift = fc.double({ min: -5, max: 5, noNaN: true });
  fc.assert(
    fc.property(angle, angle, angle, shift, shift, shift, (a, b, c, x, y, z) => {
      const image = { width: 30, height: 20 };
      const other: ImagePlane = { ...turn(a, b, c), position: [x, y, 10 + z], rowSpacingMm: 1.5, columnSpacingMm: 0.7 };
      const crossing = findCrossing({ plane: AXIAL, image }, { plane: other, image });
      if (crossing === undefined) return;
      for (const end of [crossing.from, crossing.to]) {
        const point = pixelToPatient(AXIAL, { row: end.y - 0.5, column: end.x - 0.5 });
        expect(Math.abs(patientToPixel(other, point).distanceMm)).toBeLessThan(1e-6);
        const there = toImage({ plane: other }, point);
        expect(there.x).toBeGreaterThan(-1e-6);
        expect(there.x).toBeLessThan(30 + 1e-6);
        expect(there.y).toBeGreaterThan(-1e-6);
        expect(there.y).toBeLessThan(20 + 1e-6);
      }
    }),
  );
});
