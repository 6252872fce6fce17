import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ImagePlane } from '../../../../shared/geometry.ts';
import { createPage } from '../../../kit/state/page.ts';
import { asBox, boxThrough, boxToPlane, boxWithPlane, formOfBox, withSeenForm } from './boxInPatient.ts';
import { type BoxInPatient, isFixed, type Measurement, NO_WORDS, volumeOfShape } from './measurement.ts';
import { areaInPixels } from '../../../../shared/markMeasures.ts';

const UID = '1.2.3';
const page = createPage();

const RECTANGLE: Measurement = {
  uid: '2.25.1',
  kind: 'box',
  fileIndex: 0,
  frame: 0,
  place: { type: 'frame' },
  points: [],
  words: NO_WORDS,
  scale: undefined,
  values: undefined,
};

/** From 10 to 20, 30 to 50 and -4 to 4 mm. */
const BOX: BoxInPatient = {
  frameOfReferenceUid: UID,
  rowDirection: [1, 0, 0],
  columnDirection: [0, 1, 0],
  corner: [10, 30, -4],
  sizeMm: [10, 20, 8],
};

const AXIAL: ImagePlane = {
  position: [0, 0, 0],
  rowDirection: [1, 0, 0],
  columnDirection: [0, 1, 0],
  rowSpacingMm: 2,
  columnSpacingMm: 0.5,
};
/** Rows run down, from the head. */
const CORONAL: ImagePlane = {
  position: [0, 40, 20],
  rowDirection: [1, 0, 0],
  columnDirection: [0, 0, -1],
  rowSpacingMm: 4,
  columnSpacingMm: 0.5,
};
const SAGITTAL: ImagePlane = { ...CORONAL, position: [12, 0, 20], rowDirection: [0, 1, 0] };

function placeOf(plane: ImagePlane, stepMm = 4) {
  const grid = { frameOfReferenceUid: UID, plane, slabMm: 0, time: 0, stepMm };
  return { fileIndex: 0, frame: 0, cut: undefined, grid };
}

function boxOf({ place }: Measurement): BoxInPatient | undefined {
  return place.type === 'volume' ? place.box : undefined;
}

const seenIn = (plane: ImagePlane, stepMm?: number) =>
  formOfBox(page, asBox(RECTANGLE, BOX), placeOf(plane, stepMm))?.points;

test('a box is a rectangle in each of the three planes', () => {
  // A point is at the position plus 0.5 pixels: x = 10 / 0.5 + 0.5, y = 30 / 2 + 0.5.
  expect(seenIn(AXIAL)).toEqual([
    { x: 20.5, y: 15.5 },
    { x: 40.5, y: 25.5 },
  ]);
  // From 4 mm, which is 16 below the first row, to -4 mm.
  expect(seenIn(CORONAL)).toEqual([
    { x: 20.5, y: 4.5 },
    { x: 40.5, y: 6.5 },
  ]);
  expect(seenIn(SAGITTAL)).toEqual([
    { x: 60.5, y: 4.5 },
    { x: 100.5, y: 6.5 },
  ]);
});

test('a box is on the planes that are nearer to it than to others, and on no plane that it only touches', () => {
  const at = (z: number): ImagePlane => ({ ...AXIAL, position: [0, 0, z] });
  expect([-8, -6, -5.9, 0, 5.9, 6, 8].filter((z) => seenIn(at(z), 4) !== undefined)).toEqual([-5.9, 0, 5.9]);
  const other = { ...placeOf(AXIAL), grid: { ...placeOf(AXIAL).grid, frameOfReferenceUid: '1.2.4' } };
  expect(formOfBox(page, asBox(RECTANGLE, BOX), other)).toBeUndefined();
});

test('a corner that is dragged in a plane changes the two extents there, and not the depth', () => {
  const form = formOfBox(page, asBox(RECTANGLE, BOX), placeOf(CORONAL))!;
  // 5 mm more to the left of the patient, and 8 mm more to the feet.
  const dragged = { ...form, points: [form.points[0]!, { x: 50.5, y: 8.5 }] };
  const kept = withSeenForm(dragged);
  expect(boxOf(kept)).toMatchObject({ corner: [10, 30, -12], sizeMm: [15, 20, 16] });
  expect(volumeOfShape(kept)).toBeCloseTo(4.8, 9);
  expect(kept.points).toEqual([]);
});

const length = fc.double({ min: 0.1, max: 300, noNaN: true });
const coordinate = fc.double({ min: -500, max: 500, noNaN: true });
const point = fc.tuple(coordinate, coordinate, coordinate);

test('what is seen of a box and not changed leaves it as it is', () => {
  fc.assert(
    fc.property(
      point,
      fc.tuple(length, length, length),
      fc.constantFrom(AXIAL, CORONAL, SAGITTAL),
      point,
      (corner, sizeMm, orientation, position) => {
        const item = asBox(RECTANGLE, { ...BOX, corner, sizeMm });
        // So thick a slab that every box is in it.
        const form = formOfBox(page, item, placeOf({ ...orientation, position }, 1e5))!;
        const box = boxOf(withSeenForm(form));
        for (const n of [0, 1, 2]) {
          expect(box?.corner[n]).toBeCloseTo(corner[n]!, 6);
          expect(box?.sizeMm[n]).toBeCloseTo(sizeMm[n]!, 6);
        }
      },
    ),
  );
});

test('an oblique plane shows the outline of the cut, which cannot be changed there', () => {
  const cube: BoxInPatient = { ...BOX, corner: [0, 0, 0], sizeMm: [10, 10, 10] };
  const [a, b] = [1 / Math.sqrt(2), 1 / Math.sqrt(6)];
  // Its normal is the diagonal of the cube, and it goes through the middle.
  const plane: ImagePlane = {
    position: [5, 5, 5],
    rowDirection: [a, -a, 0],
    columnDirection: [b, b, -2 * b],
    rowSpacingMm: 1,
    columnSpacingMm: 1,
  };
  const item = asBox(RECTANGLE, cube);
  const form = formOfBox(page, item, placeOf(plane))!;
  expect(form.kind).toBe('polygon');
  expect(isFixed(form)).toBe(true);
  expect(form.points).toHaveLength(6);
  // A regular hexagon whose side is half of the diagonal of a face: 3 √3 / 2 × 50.
  expect(areaInPixels('polygon', form.points)).toBeCloseTo(75 * Math.sqrt(3), 6);
  expect(withSeenForm(form)).toBe(form);
});

test('a rectangle becomes a box to another plane, or as deep as its shorter side', () => {
  const points = [
    { x: 20.5, y: 15.5 },
    { x: 40.5, y: 20.5 },
  ];
  const grid = { frameOfReferenceUid: UID, plane: AXIAL, slabMm: 0, time: 0 };
  const flat = { points, place: { type: 'plane' as const, grid } };
  const to = (z: number): ImagePlane => ({ ...AXIAL, position: [0, 0, z] });
  // 10 by 10 mm.
  expect(boxToPlane(flat, { plane: AXIAL, stepMm: 2 })).toMatchObject({ corner: [10, 30, -5], sizeMm: [10, 10, 10] });
  // With half of the step of 2 mm at both ends.
  const deep = boxToPlane(flat, { plane: to(-6), stepMm: 2 })!;
  expect(deep).toMatchObject({ corner: [10, 30, -7], sizeMm: [10, 10, 8] });
  expect(boxToPlane(flat, { plane: CORONAL, stepMm: 2 })).toBeUndefined();

  expect(boxWithPlane(deep, { plane: to(0.5), stepMm: 2 })).toBeUndefined();
  expect(boxWithPlane(deep, { plane: to(4), stepMm: 2 })).toMatchObject({ corner: [10, 30, -7], sizeMm: [10, 10, 12] });
  expect(boxWithPlane(deep, { plane: { ...CORONAL, position: [0, 25, 0] }, stepMm: 2 })).toMatchObject({
    corner: [10, 24, -7],
    sizeMm: [10, 16, 8],
  });
  // Three images, 3 mm apart, the first of them at the head.
  const through = boxThrough(UID, { first: to(6), last: to(0), steps: 2 }, points);
  expect(through).toMatchObject({ corner: [10, 30, -1.5], sizeMm: [10, 10, 9] });
  expect(volumeOfShape(asBox(RECTANGLE, through))).toBeCloseTo(0.9, 9);
});
