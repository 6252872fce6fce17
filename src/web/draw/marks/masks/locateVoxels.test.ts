import { expect, test } from 'vitest';
import { type ImagePlane, pixelToPatient } from '../../../../shared/geometry.ts';
import { findVolumePosition, type PositionTable } from '../../../../shared/positionTable.ts';
import { locateVoxels } from './locateVoxels.ts';

/** Six slices of a tilted gantry, of which one is missing. */
const TABLE: PositionTable = {
  rowDirection: [1, 0, 0],
  columnDirection: [0, 1, 0],
  rows: 9,
  columns: 7,
  rowSpacingMm: 1.5,
  columnSpacingMm: 0.8,
  positionsMm: Float64Array.of(0, 2, 4, 8, 10, 12),
  points: Float64Array.from([0, 2, 4, 8, 10, 12].flatMap((z) => [-1, z / 10, z])),
  isHole: Uint8Array.of(0, 0, 1, 0, 0),
  spacingMm: 2,
};

const PLANES: Readonly<Record<string, ImagePlane>> = {
  axial: plane([-1, 0.4, 4], [1, 0, 0], [0, 1, 0]),
  coronal: plane([-2, 5, 13], [1, 0, 0], [0, 0, -1]),
  oblique: plane([-2, 0, -1], [0.8, 0.6, 0], [0, 0, 1]),
};

function plane(
  position: ImagePlane['position'],
  across: ImagePlane['position'],
  down: ImagePlane['position'],
): ImagePlane {
  return { position, rowDirection: across, columnDirection: down, rowSpacingMm: 0.7, columnSpacingMm: 0.6 };
}

const round = (index: number) => Math.floor(index + 0.5 + 1e-6);

test.each(Object.entries(PLANES))(
  'the samples under a picture are those that the position of each pixel says: %s',
  (_, one) => {
    const size = { columns: 24, rows: 22 };
    const { places, offsets } = locateVoxels(TABLE, one, size);
    let reached = 0;
    for (let at = 0; at < places.length; at += 1) {
      const [column, row] = [at % size.columns, Math.floor(at / size.columns)];
      const found = findVolumePosition(TABLE, pixelToPatient(one, { row, column }));
      expect([column, row, places[at]]).toEqual([column, row, found === undefined ? -1 : round(found.place)]);
      if (found === undefined) continue;
      reached += 1;
      expect(offsets[at]).toBe(round(found.row) * TABLE.columns + round(found.column));
    }
    expect(reached).toBeGreaterThan(50);
  },
);
