import { dot, normalOf } from '../../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import { type PositionTable, reachOf } from '../../../../shared/positionTable.ts';
import type { Point } from '../../../kit/state/viewState.ts';

/** The parts of a plane that lie where slices of its volume are missing, as polygons in pixels of the picture. */
export function findHoles(table: PositionTable, grid: PlaneGrid, slabMm: number): readonly (readonly Point[])[] {
  const { isHole, positionsMm } = table;
  if (!isHole.includes(1)) return [];
  const normal = normalOf(table);
  const startMm = dot(normal, grid.position);
  const perColumn = dot(normal, grid.rowDirection) * grid.columnSpacingMm;
  const perRow = dot(normal, grid.columnDirection) * grid.rowSpacingMm;
  // The centre of the first pixel is half a pixel from its corner.
  const heightOf = ({ x, y }: Point) => startMm + (x - 0.5) * perColumn + (y - 0.5) * perRow;
  // A slab reaches over a narrow hole.
  const slabReachMm = (Math.abs(dot(normalOf(grid), normal)) * slabMm) / 2;
  const { rows, columns } = grid;
  const picture = [
    { x: 0, y: 0 },
    { x: columns, y: 0 },
    { x: columns, y: rows },
    { x: 0, y: rows },
  ];
  return Array.from(isHole).flatMap((hole, gap) => {
    if (hole !== 1) return [];
    const fromMm = positionsMm[gap]! + reachOf(table, gap, 1) + slabReachMm;
    const toMm = positionsMm[gap + 1]! - reachOf(table, gap + 1, -1) - slabReachMm;
    const above = clip(picture, (point) => heightOf(point) - fromMm);
    const within = clip(above, (point) => toMm - heightOf(point));
    return within.length < 3 ? [] : [within];
  });
}

/** The part of a convex polygon where a linear function is positive. */
function clip(polygon: readonly Point[], distanceOf: (point: Point) => number): readonly Point[] {
  return polygon.flatMap((point, at) => {
    const next = polygon[(at + 1) % polygon.length]!;
    const [here, there] = [distanceOf(point), distanceOf(next)];
    const kept = here > 0 ? [point] : [];
    if (here > 0 === there > 0) return kept;
    const part = here / (here - there);
    return [...kept, { x: point.x + part * (next.x - point.x), y: point.y + part * (next.y - point.y) }];
  });
}
