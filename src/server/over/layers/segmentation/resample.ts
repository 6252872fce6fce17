import { type ImagePlane, planeToPlane } from '../../../../shared/geometry.ts';

/** Samples in space. Without a plane they match the other grid pixel by pixel. */
export type SpatialGrid = { readonly rows: number; readonly columns: number; readonly plane: ImagePlane | undefined };

/** Halves are rounded up despite floating-point error: a grid of twice the spacing has its ties there. */
const TIE = 0.5 + 1e-6;

/**
 * For pixels of one row of `target` the index of the sample of `from` that contains it: nearest neighbour through
 * patient coordinates. -1 outside. `places` has as many entries as columns are wanted, from `first` on.
 */
export function createRowSampler(
  target: SpatialGrid,
  from: SpatialGrid,
): (row: number, places: Int32Array, first?: number) => void {
  const { rows, columns } = from;
  const [rr, rc, r0, cr, cc, c0] =
    target.plane === undefined || from.plane === undefined ? SAME_GRID : planeToPlane(target.plane, from.plane);
  return (row, places, first = 0) => {
    for (let i = 0; i < places.length; i++) {
      const column = first + i;
      const atRow = Math.floor(rr * row + rc * column + r0 + TIE);
      const atColumn = Math.floor(cr * row + cc * column + c0 + TIE);
      const isInside = atRow >= 0 && atRow < rows && atColumn >= 0 && atColumn < columns;
      places[i] = isInside ? atRow * columns + atColumn : -1;
    }
  };
}

/** Samples that match pixel by pixel. */
export const SAME_GRID = [1, 0, 0, 0, 1, 0] as const;
