import { assert, double, integer, property, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import { bufferSource } from '../../../bytes/origins/byteSource.ts';
import { readNifti } from '../../attachments/nifti.ts';
import { findNiftiGrid } from './niftiGrid.ts';
import { writeNiftiHeader } from './writeNiftiHeader.ts';

type Vector = [number, number, number];

/** Rows and columns in any direction, from three angles. */
function turn([a, b, c]: Vector): { rowDirection: Vector; columnDirection: Vector; normal: Vector } {
  const [ca, sa, cb, sb, cc, sc] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b), Math.cos(c), Math.sin(c)];
  return {
    rowDirection: [ca * cb, sa * cb, -sb],
    columnDirection: [ca * sb * sc - sa * cc, sa * sb * sc + ca * cc, cb * sc],
    normal: [ca * sb * cc + sa * sc, sa * sb * cc - ca * sc, cb * cc],
  };
}

type Shape = {
  readonly angles: Vector;
  readonly spacing: Vector;
  readonly origin: Vector;
  readonly places: number;
  /** How far each slice is shifted along its rows, in millimetres. */
  readonly shear?: number;
};

function createTable({ angles, spacing, origin, places, shear = 0 }: Shape): PositionTable {
  const { rowDirection, columnDirection, normal } = turn(angles);
  const along = (axis: number) => normal[axis]! * spacing[2] + rowDirection[axis]! * shear;
  const points = Array.from({ length: places }, (_, place) =>
    [0, 1, 2].map((axis) => origin[axis]! + place * along(axis)),
  );
  return {
    rowDirection,
    columnDirection,
    rows: 5,
    columns: 7,
    rowSpacingMm: spacing[0],
    columnSpacingMm: spacing[1],
    positionsMm: Float64Array.from({ length: places }, (_, place) => place * spacing[2]),
    points: Float64Array.from(points.flat()),
    isHole: new Uint8Array(places - 1),
    spacingMm: spacing[2],
  };
}

function writeAndRead(table: PositionTable) {
  const grid = findNiftiGrid(table);
  if (grid === undefined) throw new Error('the slices are on a grid');
  const bytes = writeNiftiHeader({
    grid,
    times: 1,
    timeStepSeconds: undefined,
    storage: 'int16',
    rescale: { slope: 2, intercept: -1024 },
    description: 'test',
  });
  return { bytes, header: readNifti({ source: bufferSource(bytes), name: 'a.nii' }) };
}

const angle = double({ min: -Math.PI, max: Math.PI, noNaN: true });
const size = double({ min: 0.1, max: 10, noNaN: true });
const place = double({ min: -500, max: 500, noNaN: true });

test('sform and qform say where each sample is, whatever the orientation', () => {
  const shapes = tuple(
    tuple(angle, angle, angle),
    tuple(size, size, size),
    tuple(place, place, place),
    integer({ min: 2, max: 40 }),
  );
  assert(
    property(shapes, ([angles, spacing, origin, places]) => {
      const table = createTable({ angles, spacing, origin, places });
      const { header, bytes } = writeAndRead(table);
      // The reader compares the two forms, and warns if they differ.
      expect(header.warnings).toEqual([]);
      expect(new DataView(bytes.buffer).getInt16(252, true)).toBe(1);
      const [ix, iy, iz, jx, jy, jz, kx, ky, kz, x, y, z] = header.affine!;
      // Sample i, j, k of the file is row 4 - j, column i of slice k.
      const [i, j, k] = [6, 3, places - 1];
      const { rowDirection, columnDirection, normal } = turn(angles);
      const expected = [0, 1, 2].map(
        (axis) =>
          origin[axis]! +
          rowDirection[axis]! * spacing[1] * i +
          columnDirection[axis]! * spacing[0] * (4 - j) +
          normal[axis]! * spacing[2] * k,
      );
      const found = [x + ix * i + jx * j + kx * k, y + iy * i + jy * j + ky * k, z + iz * i + jz * j + kz * k];
      // Floats of 32 bits, of coordinates below 1,000.
      for (const axis of [0, 1, 2]) expect(found[axis]).toBeCloseTo(expected[axis]!, 2);
    }),
  );
});

test('the oblique slices of a tilted gantry are in the sform, and there is no qform', () => {
  const table = createTable({ angles: [0, 0, 0], spacing: [1, 1, 2], origin: [0, 0, 0], places: 10, shear: 0.5 });
  const { bytes, header } = writeAndRead(table);
  const view = new DataView(bytes.buffer);
  expect([view.getInt16(252, true), view.getInt16(254, true)]).toEqual([0, 1]);
  expect(header.affine!.slice(6, 9).map((part) => part + 0)).toEqual([0.5, 0, 2]);
});

test('slices that are not equally far apart are on no grid, unless positions were rounded', () => {
  const table = createTable({ angles: [0, 0, 0], spacing: [1, 1, 2], origin: [0, 0, 0], places: 4 });
  const shifted = (mm: number) => findNiftiGrid({ ...table, points: table.points.with(5, 2 + mm) });
  expect(shifted(0.05)).toBeDefined();
  expect(shifted(0.2)).toBeUndefined();
});
