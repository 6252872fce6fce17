import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ImagePlane, pixelToPatient } from '../../../../shared/geometry.ts';
import { createPage } from '../../../kit/state/page.ts';
import { type Measurement, NO_WORDS } from './measurement.ts';
import { describePlane, findOnPlane, isMeasuredHere } from './planeMarks.ts';

const page = createPage();

const CORONAL: ImagePlane = {
  position: [-100, 15, 60],
  rowDirection: [1, 0, 0],
  columnDirection: [0, 0, -1],
  rowSpacingMm: 3,
  columnSpacingMm: 1,
};

const LENGTH: Measurement = {
  uid: '2.25.1',
  kind: 'length',
  fileIndex: 0,
  frame: 0,
  points: [
    { x: 6, y: 2 },
    { x: 26, y: 4.5 },
  ],
  place: { type: 'plane', grid: { frameOfReferenceUid: '1.2.3', plane: CORONAL, slabMm: 0, time: 0 } },
  words: NO_WORDS,
  scale: undefined,
  values: undefined,
};

const CUT = { key: 'a', sourceId: 'plane', position: 0, name: 'Coronal', isProjected: false };

function placeOf(plane: ImagePlane, { slabMm = 0, time = 0 } = {}) {
  return { fileIndex: 0, frame: 0, cut: CUT, grid: { frameOfReferenceUid: '1.2.3', plane, slabMm, time, stepMm: 2 } };
}

const movedBy = (mm: number): ImagePlane => ({ ...CORONAL, position: [-100, 15 + mm, 60] });

test('a mark is on its plane and on planes up to half a step away, and its values are those of its own', () => {
  expect(findOnPlane(page, LENGTH, placeOf(CORONAL))?.form).toBe(LENGTH);
  const shown = [-1.1, -1, -0.4, 0, 0.4, 1, 1.1].filter(
    (mm) => findOnPlane(page, LENGTH, placeOf(movedBy(mm))) !== undefined,
  );
  expect(shown).toEqual([-1, -0.4, 0, 0.4, 1]);
  expect([0, 0.001, 0.4].map((mm) => isMeasuredHere(page, LENGTH, placeOf(movedBy(mm))))).toEqual([true, true, false]);
});

test('a mark is on no plane of another slab, time or direction', () => {
  expect(findOnPlane(page, LENGTH, placeOf(CORONAL, { slabMm: 10 }))).toBeUndefined();
  expect(findOnPlane(page, LENGTH, placeOf(CORONAL, { time: 1 }))).toBeUndefined();
  const turned: ImagePlane = { ...CORONAL, rowDirection: [Math.cos(0.02), Math.sin(0.02), 0] };
  expect(findOnPlane(page, LENGTH, placeOf(turned))).toBeUndefined();
});

/** The points of a mark on a plane. */
function inPatient({ points, place }: Measurement) {
  if (place.type !== 'plane') throw new Error('the mark is on no plane');
  const { plane } = place.grid;
  return points.map((point) => pixelToPatient(plane, { row: point.y - 0.5, column: point.x - 0.5 }));
}

test('on another grid in its plane, the points of a mark stay where they are in the patient', () => {
  const number = fc.double({ min: -50, max: 50, noNaN: true });
  const spacing = fc.double({ min: 0.2, max: 5, noNaN: true });
  const turn = fc.double({ min: 0, max: 6, noNaN: true });
  fc.assert(
    fc.property(
      number,
      number,
      spacing,
      turn,
      fc.double({ min: -1, max: 1, noNaN: true }),
      (x, z, mm, angle, depth) => {
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        const plane: ImagePlane = {
          position: [x, 15 + depth, z],
          rowDirection: [c, 0, s],
          columnDirection: [s, 0, -c],
          rowSpacingMm: mm,
          columnSpacingMm: 2 * mm,
        };
        const { form } = findOnPlane(page, LENGTH, placeOf(plane))!;
        const [before, after] = [inPatient(LENGTH).flat(), inPatient(form).flat()];
        for (const [n, value] of before.entries()) expect(after[n]).toBeCloseTo(value, 6);
      },
    ),
  );
});

test('a box is not shown where its edges would not run along rows and columns', () => {
  const box: Measurement = { ...LENGTH, kind: 'box' };
  const quarter: ImagePlane = { ...CORONAL, rowDirection: [0, 0, 1], columnDirection: [1, 0, 0] };
  const tilted: ImagePlane = { ...CORONAL, rowDirection: [0.6, 0, 0.8], columnDirection: [0.8, 0, -0.6] };
  expect(findOnPlane(page, box, placeOf(quarter))).toBeDefined();
  expect(findOnPlane(page, box, placeOf(tilted))).toBeUndefined();
});

test('planes are named by their direction and place in the patient', () => {
  const grid = { frameOfReferenceUid: '', plane: CORONAL, slabMm: 0, time: 0 };
  expect(describePlane(grid)).toBe('Coronal plane at 15 mm');
  const oblique: ImagePlane = { ...CORONAL, rowDirection: [0.6, 0.8, 0], position: [0, 0, 0] };
  expect(describePlane({ ...grid, plane: oblique, slabMm: 2.5 })).toBe('Oblique plane at 0 mm, slab of 2.5 mm');
});
