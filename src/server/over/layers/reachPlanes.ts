import {
  dot,
  type ImagePlane,
  normalOf,
  patientToPixel,
  pixelToPatient,
  type Vector3,
} from '../../../shared/geometry.ts';
import { findNearestPlace } from '../../../shared/planeGrid.ts';
import { planeOfPlace, type PositionTable, reachOf } from '../../../shared/positionTable.ts';
import { createBridge } from './applyBridge.ts';
import { planeInColumns } from './planeColumns.ts';
import type { ReachInput } from './registrationTasks.ts';

/** Points of each plane, along a row and down a column. */
const POINTS = 24;

/**
 * Implements `reachPlanesTask`. Some points of each plane are moved. The layer may reach the plane if one of them lies in
 * it, or so near to it that a point in between may.
 */
export function reachPlanes({ planes, sizes, steps, tables }: ReachInput): Uint8Array<ArrayBuffer> {
  const move = createBridge(steps);
  const reached = new Uint8Array(sizes.length / 2);
  const points = new Float64Array(3 * POINTS * POINTS);
  for (let at = 0; at < reached.length; at += 1) {
    const plane = planeInColumns(planes, at);
    if (plane === undefined) continue;
    const [rows, columns] = [sizes[2 * at]!, sizes[2 * at + 1]!];
    putPoints(plane, { rows, columns }, points);
    move(points);
    const aroundMm = Math.max(rows * plane.rowSpacingMm, columns * plane.columnSpacingMm) / (POINTS - 1);
    if (tables.some((table) => isNear(points, table, aroundMm))) reached[at] = 1;
  }
  return reached;
}

function putPoints(plane: ImagePlane, size: { readonly rows: number; readonly columns: number }, points: Float64Array) {
  for (let i = 0; i < POINTS * POINTS; i += 1) {
    const row = ((i % POINTS) / (POINTS - 1)) * (size.rows - 1);
    const column = (Math.floor(i / POINTS) / (POINTS - 1)) * (size.columns - 1);
    points.set(pixelToPatient(plane, { row, column }), 3 * i);
  }
}

function isNear(points: Float64Array, table: PositionTable, aroundMm: number): boolean {
  const { positionsMm, rows, columns, rowSpacingMm, columnSpacingMm } = table;
  const normal = normalOf(table);
  const last = positionsMm.length - 1;
  const lowMm = positionsMm[0]! - reachOf(table, 0, -1) - aroundMm;
  const highMm = positionsMm[last]! + reachOf(table, last, 1) + aroundMm;
  const [down, across] = [0.5 + aroundMm / rowSpacingMm, 0.5 + aroundMm / columnSpacingMm];
  for (let at = 0; at < points.length; at += 3) {
    const point: Vector3 = [points[at]!, points[at + 1]!, points[at + 2]!];
    const zMm = dot(normal, point);
    // A point that leads nowhere is NaN.
    if (!(zMm >= lowMm && zMm <= highMm)) continue;
    const { row, column } = patientToPixel(planeOfPlace(table, findNearestPlace(table, zMm)), point);
    if (row >= -down && row <= rows - 1 + down && column >= -across && column <= columns - 1 + across) return true;
  }
  return false;
}
