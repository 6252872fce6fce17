import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { turn } from '../../../../../test/support/rampVolume.ts';
import { dot, lengthOf, subtract } from '../../../../shared/geometry.ts';
import { PLANE_NAMES } from '../../../../shared/planeNames.ts';
import { formatNumber, formatPlane, parsePlane, straightPlane } from './planeSpec.ts';

const angle = fc.double({ min: -3, max: 3, noNaN: true });
const millimetres = fc.integer({ min: -1e6, max: 1e6 }).map((value) => value / 1000 + 0);
const spec = fc.record({
  name: fc.constantFrom(...PLANE_NAMES),
  turned: fc.option(
    fc.record({
      orientation: fc.tuple(angle, angle, angle).map((angles) => turn(...angles)),
      through: fc.tuple(millimetres, millimetres, millimetres),
    }),
    { nil: undefined },
  ),
  slabMm: fc.integer({ min: 0, max: 900 }),
  projection: fc.constantFrom('max' as const, 'min' as const, 'mean' as const),
  time: fc.nat(1000),
});

test('a plane is the same after a way through its text', () => {
  fc.assert(
    fc.property(spec, (plane) => {
      const read = parsePlane(formatPlane(plane));
      expect(read).toMatchObject({
        name: plane.name,
        slabMm: plane.slabMm,
        projection: plane.projection,
        time: plane.time,
      });
      expect(read?.turned?.through).toEqual(plane.turned?.through);
      if (plane.turned === undefined || read?.turned === undefined) return;
      const { rowDirection, columnDirection } = read.turned.orientation;
      expect(Math.abs(dot(rowDirection, columnDirection))).toBeLessThan(1e-12);
      expect(lengthOf(subtract(rowDirection, plane.turned.orientation.rowDirection))).toBeLessThan(1e-6);
    }),
  );
});

test('a straight plane is named by one word, and its slab and time are added', () => {
  expect(formatPlane(straightPlane('coronal'))).toBe('coronal');
  expect(formatPlane({ ...straightPlane('axial'), slabMm: 20, time: 3 })).toBe('axial~max20~t3');
});

test.each(['', 'frontal', 'max20', 'axial2'])('%j is no plane', (text) => {
  expect(parsePlane(text)).toBeUndefined();
});

test.each(['axial~max1e9', 'axial~o1_0_0', 'axial~t-1', 'axial~o0_0_0_0_0_0~p1_2_3', 'axial~oNaN~p1_2'])(
  'what makes no sense in %j is left out',
  (text) => {
    expect(parsePlane(text)).toEqual(straightPlane('axial'));
  },
);

test('numbers are written without an exponent', () => {
  expect([1e-13, -1e-13, 1e-9, 0.5, 120, -7.25].map((number) => formatNumber(number, 12))).toEqual([
    '0',
    '0',
    '0.000000001',
    '0.5',
    '120',
    '-7.25',
  ]);
});
