import type { Plane } from './plane.ts';

/** Maximum displacement of a point by bending along each axis, in mm. */
export const BEND_MM = 5;

/** Pixels between the positions where the waves are computed. The waves are long, so this is accurate enough. */
const CELL = 16;

/** Positions in the unbent model of chosen pixels of one image row. */
export type RowPlaces = { readonly x: Float32Array; readonly y: Float32Array; readonly z: Float32Array };

interface Bend {
  /** Fills `places` for the chosen columns. Rows must be requested in ascending order. */
  place(places: RowPlaces, row: number, chosen: Uint16Array): void;
}

/**
 * No part of a body is an exact ellipse, so every position is displaced by smooth waves before the model is evaluated.
 */
export function createBend(plane: Plane): Bend {
  const cells = Math.ceil(plane.columns / CELL);
  const upper = waves(plane, { row: 0, cells });
  const lower = waves(plane, { row: CELL, cells });
  let top = 0;
  return {
    place(places, row, chosen) {
      for (; row >= top + CELL; top += CELL) {
        upper.set(lower);
        lower.set(waves(plane, { row: top + 2 * CELL, cells }));
      }
      const t = (row - top) / CELL;
      interpolate(places.x, chosen, { upper, lower, t, axis: 0 });
      interpolate(places.y, chosen, { upper, lower, t, axis: 1 });
      interpolate(places.z, chosen, { upper, lower, t, axis: 2 });
    },
  };
}

/** Bent x, y, z of every CELL-th pixel of a row. */
function waves(
  { origin, along, down, spacingMm }: Plane,
  { row, cells }: { row: number; cells: number },
): Float32Array {
  const bent = new Float32Array(3 * (cells + 1));
  const below = row * spacingMm;
  for (let cell = 0; cell <= cells; cell++) {
    const right = cell * CELL * spacingMm;
    const x = origin[0] + right * along[0] + below * down[0];
    const y = origin[1] + right * along[1] + below * down[1];
    const z = origin[2] + right * along[2] + below * down[2];
    bent[3 * cell] =
      x + 2.8 * Math.sin(y / 27 + z / 37) + 1.2 * Math.sin(y / 15 - z / 17 + 2) + Math.sin(x / 18 + z / 23);
    bent[3 * cell + 1] =
      y + 2.6 * Math.sin(x / 31 + z / 33 + 1) + 1.1 * Math.sin(x / 16 + z / 19) + Math.sin(y / 17 - z / 29);
    bent[3 * cell + 2] = z + 3 * Math.sin(x / 29 + y / 23) + 1.4 * Math.sin(x / 16 - y / 15 + 3);
  }
  return bent;
}

type Nodes = { readonly upper: Float32Array; readonly lower: Float32Array; readonly t: number; readonly axis: number };

function interpolate(values: Float32Array, chosen: Uint16Array, { upper, lower, t, axis }: Nodes): void {
  let cell = -1;
  let value = 0;
  let step = 0;
  for (let i = 0; i < chosen.length; i++) {
    const column = chosen[i]!;
    if (column >> 4 !== cell) {
      cell = column >> 4;
      const node = 3 * cell + axis;
      value = upper[node]! + t * (lower[node]! - upper[node]!);
      step = (upper[node + 3]! + t * (lower[node + 3]! - upper[node + 3]!) - value) / CELL;
    }
    values[i] = value + (column & (CELL - 1)) * step;
  }
}
