import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ImagePlane, Vector3 } from '../../../../shared/geometry.ts';
import { drawContours, findContoursOver } from './contoursOver.ts';
import { measureContours } from './measureContours.ts';
import { CONTOUR_TYPES, type ContourColumns } from './structureSetRecord.ts';

type Ring = readonly (readonly [number, number])[];
/** Closed contours in planes of constant z. */
type Slice = { readonly z: number; readonly rings: readonly Ring[] };

const CLOSED = CONTOUR_TYPES.indexOf('CLOSED_PLANAR');
/** Size of the samples of pictures, in mm. */
const STEP = 0.25;
const SIDE = 240;

function circle(radius: number, [x, y]: readonly [number, number] = [0, 0], corners = 96): Ring {
  return Array.from({ length: corners }, (_, at) => {
    const angle = (2 * Math.PI * at) / corners;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)] as const;
  });
}

function toColumns(slices: readonly Slice[]): ContourColumns {
  const rings = slices.flatMap(({ z, rings: own }) => own.map((ring) => ring.map(([x, y]) => [x, y, z])));
  const starts = [0];
  for (const ring of rings) starts.push(starts.at(-1)! + ring.length);
  const columns = {
    length: rings.length,
    points: Float32Array.from(rings.flat(2)),
    starts: Uint32Array.from(starts),
    roiOf: new Uint32Array(rings.length),
    types: new Uint8Array(rings.length).fill(CLOSED),
  };
  const { rois: _, ...measured } = measureContours(columns, 1);
  return { ...columns, ...measured };
}

/** A picture around a point, turned around the x axis and then around the z axis. */
function planeThrough(centre: Vector3, degrees: number, turn = 0): ImagePlane {
  const [tilt, around] = [degrees, turn].map((angle) => (angle * Math.PI) / 180);
  const rowDirection: Vector3 = [Math.cos(around!), Math.sin(around!), 0];
  const columnDirection: Vector3 = [
    -Math.sin(around!) * Math.cos(tilt!),
    Math.cos(around!) * Math.cos(tilt!),
    Math.sin(tilt!),
  ];
  const corner = (axis: 0 | 1 | 2) =>
    centre[axis] - ((SIDE - 1) / 2) * STEP * (rowDirection[axis] + columnDirection[axis]);
  return {
    position: [corner(0), corner(1), corner(2)],
    rowDirection,
    columnDirection,
    rowSpacingMm: STEP,
    columnSpacingMm: STEP,
  };
}

function isWithin(rings: readonly ArrayLike<number>[], x: number, y: number): boolean {
  let inside = false;
  for (const ring of rings) {
    for (let at = 0, before = ring.length - 2; at < ring.length; before = at, at += 2) {
      const [y1, y2] = [ring[at + 1]!, ring[before + 1]!];
      if (y1 > y === y2 > y) continue;
      if (x < ring[at]! + ((ring[before]! - ring[at]!) * (y - y1)) / (y2 - y1)) inside = !inside;
    }
  }
  return inside;
}

/** The picture as it is drawn. */
function fillDrawn(slices: readonly Slice[], plane: ImagePlane): Uint8Array {
  const contours = toColumns(slices);
  const items = drawContours(
    contours,
    plane,
    findContoursOver(contours, plane, () => true),
    () => 1,
  );
  const rings = items.filter(({ isClosed }) => isClosed).map(({ points }) => points);
  return fill((column, row) => isWithin(rings, column, row));
}

/** The same by the definition: a point is inside if the contours of the slab that it is in are around it. */
function fillSlabs(slices: readonly Slice[], plane: ImagePlane): Uint8Array {
  const flat = slices.map(({ rings }) => rings.map((ring) => ring.flat()));
  const zs = slices.map(({ z }) => z);
  const ends = [zs[0]! - (zs[1]! - zs[0]!) / 2, ...zs.slice(1).map((z, at) => (z + zs[at]!) / 2)];
  ends.push(zs.at(-1)! + (zs.at(-1)! - zs.at(-2)!) / 2);
  return fill((column, row) => {
    const [x, y, z] = [0, 1, 2].map(
      (axis) =>
        plane.position[axis]! + STEP * (column * plane.rowDirection[axis]! + row * plane.columnDirection[axis]!),
    );
    const slab = ends.findLastIndex((end) => end <= z!);
    return slab >= 0 && slab < slices.length && isWithin(flat[slab]!, x!, y!);
  });
}

function fill(isInside: (column: number, row: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: SIDE * SIDE }, (_, at) => Number(isInside(at % SIDE, Math.floor(at / SIDE))));
}

function diceOf(one: Uint8Array, other: Uint8Array): number {
  const both = one.reduce((sum, value, at) => sum + (value & other[at]!), 0);
  const all = [one, other].map((mask) => mask.reduce((sum, value) => sum + value, 0));
  return (2 * both) / (all[0]! + all[1]!);
}

const RADIUS = 20;
const SPACING = 2.5;
const SPHERE: readonly Slice[] = Array.from({ length: 15 }, (_, at) => (at - 7) * SPACING).map((z) => ({
  z,
  rings: [circle(Math.sqrt(RADIUS ** 2 - z ** 2))],
}));

test.each([0, 0.2, 1, 2, 5, 8, 12, 20, 45, 89.999, 90, 120, 175])(
  'a plane tilted by %d degrees cuts the slabs of the contours, as points filled by them are cut',
  (degrees) => {
    for (const offset of [0.3, -9.1]) {
      const plane = planeThrough([0.1, 0.2, offset], degrees, 30);
      expect(diceOf(fillDrawn(SPHERE, plane), fillSlabs(SPHERE, plane))).toBeGreaterThan(0.98);
    }
  },
);

test('a cut through slabs that touch has one outline, with the area of the ellipse in which a plane cuts a cylinder', () => {
  const cylinder = Array.from({ length: 21 }, (_, at) => ({ z: (at - 10) * SPACING, rings: [circle(10)] }));
  for (const degrees of [1, 5, 30, 60]) {
    const contours = toColumns(cylinder);
    const plane = planeThrough([0, 0, 0], degrees);
    const items = drawContours(
      contours,
      plane,
      findContoursOver(contours, plane, () => true),
      () => 1,
    );
    expect(items).toHaveLength(1);
    // A polygon of 96 corners has 48 r² sin(2π / 96); the plane stretches it by 1 / cos.
    const area = (48 * 100 * Math.sin((2 * Math.PI) / 96)) / Math.cos((degrees * Math.PI) / 180);
    expect(areaOf(items[0]!.points) * STEP * STEP).toBeCloseTo(area, 1);
  }
});

test('holes stay holes, and several contours of a plane stay apart', () => {
  const rings = [circle(18), circle(9), circle(5, [24, 0]), circle(3)];
  const slices = Array.from({ length: 15 }, (_, at) => ({ z: (at - 7) * SPACING, rings }));
  for (const degrees of [0.5, 3, 40, 90]) {
    const plane = planeThrough([1, 0.1, 0.4], degrees);
    expect(diceOf(fillDrawn(slices, plane), fillSlabs(slices, plane))).toBeGreaterThan(0.98);
  }
});

test('any outline in any plane is filled as its points are', () => {
  const star = fc
    .array(fc.double({ min: 3, max: 25, noNaN: true }), { minLength: 5, maxLength: 24 })
    .map((radii): Ring =>
      radii.map((radius, at) => {
        const angle = (2 * Math.PI * at) / radii.length;
        return [radius * Math.cos(angle), radius * Math.sin(angle)] as const;
      }),
    );
  fc.assert(
    fc.property(
      fc.array(star, { minLength: 9, maxLength: 9 }),
      fc.integer({ min: 1, max: 179 }),
      fc.integer({ min: 0, max: 359 }),
      fc.integer({ min: -60, max: 60 }),
      (rings, degrees, turn, tenths) => {
        const slices = rings.map((ring, at) => ({ z: (at - 4) * SPACING, rings: [ring] }));
        const plane = planeThrough([0.1, 0.1, tenths / 10 + 0.03], degrees, turn);
        expect(diceOf(fillDrawn(slices, plane), fillSlabs(slices, plane))).toBeGreaterThan(0.95);
      },
    ),
    { numRuns: 20 },
  );
});

/** In pixels. */
function areaOf(points: Float32Array): number {
  let sum = 0;
  for (let at = 0, before = points.length - 2; at < points.length; before = at, at += 2) {
    sum += points[before]! * points[at + 1]! - points[at]! * points[before + 1]!;
  }
  return Math.abs(sum) / 2;
}
