import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { coverBox, isBoxNear } from './coverBox.ts';
import { cross, dot, type ImagePlane, pixelToPatient, subtract, type Vector3 } from './geometry.ts';

const SIZE = { rows: 7, columns: 9 };

const angle = fc.double({ min: 0, max: 6.3, noNaN: true });
const number = fc.double({ min: -6, max: 6, noNaN: true });
const length = fc.double({ min: 0.3, max: 12, noNaN: true });

/** Two perpendicular directions. */
const directions = fc.tuple(angle, angle, fc.boolean()).map(([a, b, isTilted]): [Vector3, Vector3] => {
  const tilt = isTilted ? b : 0;
  return [
    [Math.cos(a), Math.sin(a), 0],
    [-Math.sin(a) * Math.cos(tilt), Math.cos(a) * Math.cos(tilt), Math.sin(tilt)],
  ];
});

test('a pixel is covered by a box if its center is inside', () => {
  fc.assert(
    fc.property(
      fc.tuple(number, number, number),
      fc.tuple(length, length, length),
      directions,
      directions,
      (position, size, [row, column], [rowDirection, columnDirection]) => {
        const plane: ImagePlane = {
          position: [-4, -3, 0],
          rowDirection,
          columnDirection,
          rowSpacingMm: 1.5,
          columnSpacingMm: 1,
        };
        const box = { position, orientation: [...row, ...column], size };
        const covered = new Set<string>();
        coverBox(box, plane, SIZE, (at, first, end) => {
          for (let x = first; x < end; x += 1) covered.add(`${at} ${x}`);
        });
        const depthOf = (y: number, x: number) => {
          const offset = subtract(pixelToPatient(plane, { row: y, column: x }), position);
          const axes = [row, column, cross(row, column)];
          return Math.min(...axes.flatMap((axis, n) => [dot(axis, offset), size[n]! - dot(axis, offset)]));
        };
        const pixels = Array.from({ length: SIZE.rows * SIZE.columns }, (_, n) => {
          const [y, x] = [Math.floor(n / SIZE.columns), n % SIZE.columns];
          return { name: `${y} ${x}`, depth: depthOf(y, x) };
        });
        // On a side, rounding decides.
        const clear = pixels.filter(({ depth }) => Math.abs(depth) > 1e-5);
        const namesOf = (found: typeof clear) => found.map(({ name }) => name);
        expect(namesOf(clear.filter(({ name }) => covered.has(name)))).toEqual(
          namesOf(clear.filter(({ depth }) => depth > 0)),
        );
        expect(covered.size === 0 || isBoxNear(box, plane, SIZE)).toBe(true);
      },
    ),
  );
});
