import { dot, inPlaneAxes, normalOf, pixelToPatient, type Vector3 } from '../../shared/geometry.ts';
import { findSlab, type PlaneGrid, type SlabSize } from '../../shared/planeGrid.ts';
import type { PositionTable } from '../../shared/positionTable.ts';
import type { PlaceRange, VolumeBox } from './volume.ts';
import type { KnownVolume } from './volumeMemory.ts';

/** What a plane or slab can reach, with one more sample on each side: at the ends of the box nothing ends. */
export function findNeededBox(table: PositionTable, grid: PlaneGrid, size: SlabSize, range: PlaceRange): VolumeBox {
  const { alongRow, downColumn } = inPlaneAxes(table);
  const slab = findSlab(table, grid, size);
  const normal = normalOf(grid);
  const corners = [0, grid.rows - 1].flatMap((row) =>
    [0, grid.columns - 1].flatMap((column) =>
      [-slab.first, slab.last].map((sheet): Vector3 => {
        const [x, y, z] = pixelToPatient(grid, { row, column });
        const aside = sheet * slab.stepMm;
        return [x + normal[0] * aside, y + normal[1] * aside, z + normal[2] * aside];
      }),
    ),
  );
  const end = table.positionsMm.length - 1;
  // A table has two places at least.
  const first = Math.max(0, Math.min(range.first, end - 1));
  const places = { first, last: Math.max(range.last, first + 1) };
  // Between two places, and half a step beyond the ends, the origin lies between or beyond those of the neighbours.
  const around = { first: Math.max(0, first - 1), last: Math.min(end, places.last + 1) };
  const reach = (axis: Vector3, spacingMm: number, count: number): PlaceRange => {
    const ofPlane = corners.map((corner) => dot(corner, axis) / spacingMm);
    let least = Infinity;
    let most = -Infinity;
    for (let place = around.first; place <= around.last; place += 1) {
      const origin = dot(pointAt(table, place), axis) / spacingMm;
      least = Math.min(least, origin);
      most = Math.max(most, origin);
    }
    const spare = 2 + (most - least);
    const clamp = (index: number) => Math.min(Math.max(index, 0), count - 1);
    return {
      first: clamp(Math.floor(Math.min(...ofPlane) - most - spare)),
      last: clamp(Math.ceil(Math.max(...ofPlane) - least + spare)),
    };
  };
  return {
    places,
    rows: reach(downColumn, table.rowSpacingMm, table.rows),
    columns: reach(alongRow, table.columnSpacingMm, table.columns),
  };
}

/** The part of one time of a volume that a box contains, as a volume of one time. */
export function cropVolume(volume: KnownVolume, time: number, { places, rows, columns }: VolumeBox): KnownVolume {
  const { table, sample, times } = volume;
  const ofTime = time * table.positionsMm.length;
  const pick = (column: Float64Array | Uint32Array) => column.slice(ofTime + places.first, ofTime + places.last + 1);
  const points = table.points.slice(3 * places.first, 3 * places.last + 3);
  const along = columns.first * table.columnSpacingMm;
  const down = rows.first * table.rowSpacingMm;
  for (let at = 0; at < points.length; at++) {
    points[at]! += table.rowDirection[at % 3]! * along + table.columnDirection[at % 3]! * down;
  }
  const { rescales, paddings } = sample;
  return {
    ...volume,
    times: times.slice(time, time + 1),
    fileIndices: Uint32Array.from(pick(volume.fileIndices)),
    frameIndices: Uint32Array.from(pick(volume.frameIndices)),
    table: {
      ...table,
      rows: rows.last - rows.first + 1,
      columns: columns.last - columns.first + 1,
      positionsMm: table.positionsMm.slice(places.first, places.last + 1),
      points,
      isHole: table.isHole.slice(places.first, places.last),
    },
    sample: {
      ...sample,
      rescales: rescales && {
        slopes: Float64Array.from(pick(rescales.slopes)),
        intercepts: Float64Array.from(pick(rescales.intercepts)),
      },
      paddings: paddings && {
        lows: Float64Array.from(pick(paddings.lows)),
        highs: Float64Array.from(pick(paddings.highs)),
      },
    },
  };
}

function pointAt({ points }: PositionTable, place: number): Vector3 {
  return [points[3 * place]!, points[3 * place + 1]!, points[3 * place + 2]!];
}
