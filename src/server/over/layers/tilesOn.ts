import { planeToPlane } from '../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../shared/planeGrid.ts';
import { type FrameGeometry, planeAt } from '../../standard/geometry/frameGeometry.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';

type Size = { readonly rows: number; readonly columns: number };

/** The frames of a tiled object that reach a part of a slide. Undefined if they are more than `most`. */
export function findTilesOn(
  geometry: FrameGeometry,
  tile: Size,
  part: PlaneGrid,
  most: number,
  signal: AbortSignal | undefined,
): Promise<readonly number[] | undefined> {
  return doInTurns(listTiles(geometry, tile, part, most), signal);
}

/** The frames whose corners are not all on one side of the part. */
function* listTiles(
  geometry: FrameGeometry,
  tile: Size,
  part: PlaneGrid,
  most: number,
): WorkInTurns<readonly number[] | undefined> {
  const frames: number[] = [];
  for (let frame = 0; frame < geometry.length; frame += 1) {
    yield;
    const plane = planeAt(geometry, frame);
    if (plane === undefined) continue;
    const [rowPerRow, rowPerColumn, rowStart, columnPerRow, columnPerColumn, columnStart] = planeToPlane(plane, part);
    const corners = [-0.5, tile.rows - 0.5].flatMap((row) =>
      [-0.5, tile.columns - 0.5].map((column) => ({
        row: rowPerRow * row + rowPerColumn * column + rowStart,
        column: columnPerRow * row + columnPerColumn * column + columnStart,
      })),
    );
    const isBeside =
      corners.every(({ row }) => row <= -0.5) ||
      corners.every(({ row }) => row >= part.rows - 0.5) ||
      corners.every(({ column }) => column <= -0.5) ||
      corners.every(({ column }) => column >= part.columns - 0.5);
    if (isBeside) continue;
    frames.push(frame);
    if (frames.length > most) return undefined;
  }
  return frames;
}
