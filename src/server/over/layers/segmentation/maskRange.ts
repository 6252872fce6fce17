import { dot, inPlaneAxes, normalOf, type Vector3 } from '../../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import { findBetween, type LineRange } from '../../../images/volumes/lineRange.ts';
import type { MaskBox } from './maskBox.ts';

/** The columns of a row of a sheet that can have samples of masks; all others have none. */
export type MaskRange = (row: number, sheet: number) => LineRange;

/** A mask, and the number of its slice. */
export type PlacedMaskBox = MaskBox & { readonly place: number };

/**
 * Finds where a plane passes the box around all masks: most of a slab lies beside them. The box is larger by one slice
 * and one sample on each side, so that no rounding matters.
 */
export function createMaskRange(
  table: PositionTable,
  grid: PlaneGrid,
  stepMm: number,
  boxes: Iterable<PlacedMaskBox>,
): MaskRange {
  const across = normalOf(grid);
  const lines = findBounds(table, boxes).map(({ axis, least, most }) => ({
    least,
    most,
    start: dot(axis, grid.position),
    perColumn: dot(axis, grid.rowDirection) * grid.columnSpacingMm,
    perRow: dot(axis, grid.columnDirection) * grid.rowSpacingMm,
    perSheet: dot(axis, across) * stepMm,
  }));
  return (row, sheet) => {
    let [first, end] = [0, grid.columns];
    for (const { least, most, start, perColumn, perRow, perSheet } of lines) {
      const between = findBetween(start + row * perRow + sheet * perSheet, perColumn, least, most);
      first = Math.max(first, between.first);
      end = Math.min(end, between.end);
    }
    return { first, end: Math.max(first, end) };
  };
}

/** Between which values masks lie along the normal of their slices, and along and across the rows of these. */
function findBounds(table: PositionTable, boxes: Iterable<PlacedMaskBox>) {
  const { positionsMm, points, rowSpacingMm, columnSpacingMm, spacingMm } = table;
  const { alongRow, downColumn } = inPlaneAxes(table);
  const inZ = { axis: normalOf(table), least: Infinity, most: -Infinity };
  const inY = { axis: downColumn, least: Infinity, most: -Infinity };
  const inX = { axis: alongRow, least: Infinity, most: -Infinity };
  const originOf = (axis: Vector3, place: number) =>
    points[3 * place]! * axis[0] + points[3 * place + 1]! * axis[1] + points[3 * place + 2]! * axis[2];
  // Between two slices that are shifted against each other, samples lie between both.
  const [shiftY, shiftX, gap] = [widest(downColumn), widest(alongRow), Math.max(spacingMm, widest(inZ.axis))];
  for (const { place, top, left, rows, columns } of boxes) {
    if (rows === 0) continue;
    extend(inZ, positionsMm[place]! - gap, positionsMm[place]! + gap);
    const [y, x] = [originOf(downColumn, place), originOf(alongRow, place)];
    extend(inY, y + (top - 1) * rowSpacingMm - shiftY, y + (top + rows) * rowSpacingMm + shiftY);
    extend(inX, x + (left - 1) * columnSpacingMm - shiftX, x + (left + columns) * columnSpacingMm + shiftX);
  }
  return [inZ, inY, inX];

  /** The largest step along an axis from one slice to the next. */
  function widest(axis: Vector3): number {
    let most = 0;
    for (let place = 1; place < positionsMm.length; place += 1)
      most = Math.max(most, Math.abs(originOf(axis, place) - originOf(axis, place - 1)));
    return most;
  }
}

function extend(bounds: { least: number; most: number }, least: number, most: number): void {
  bounds.least = Math.min(bounds.least, least);
  bounds.most = Math.max(bounds.most, most);
}
