import type { Plane } from './plane.ts';

/** How far bends move a point at most along each axis, in mm. */
export const BEND_MM = 5;

/** Pixels between the places where the waves are computed: they are long, so this is near enough. */
const CELL = 16;

/** Where each pixel of one image row is read in the straight model. */
export type RowPlaces = { readonly x: Float32Array; readonly y: Float32Array; readonly z: Float32Array };

/**
 * Nothing in a body is an exact ellipse: every place is shifted by smooth waves before the model is asked.
 * The answer of `row` is valid until the next call.
 */
export function createBend(plane: Plane): { row(row: number): RowPlaces } {
  const cells = Math.ceil(plane.columns / CELL);
  const size = cells * CELL;
  const upper = waves(plane, { row: 0, cells });
  const lower = waves(plane, { row: CELL, cells });
  const places = { x: new Float32Array(size), y: new Float32Array(size), z: new Float32Array(size) };
  let top = 0;
  return {
    row(row) {
      for (; row >= top + CELL; top += CELL) {
        upper.set(lower);
        lower.set(waves(plane, { row: top + 2 * CELL, cells }));
      }
      const t = (row - top) / CELL;
      spread(places.x, { upper, lower, t, axis: 0 });
      spread(places.y, { upper, lower, t, axis: 1 });
      spread(places.z, { upper, lower, t, axis: 2 });
      return places;
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

function spread(
  values: Float32Array,
  { upper, lower, t, axis }: { upper: Float32Array; lower: Float32Array; t: number; axis: number },
): void {
  let value = upper[axis]! + t * (lower[axis]! - upper[axis]!);
  for (let at = 0, node = axis + 3; at < values.length; at += CELL, node += 3) {
    const next = upper[node]! + t * (lower[node]! - upper[node]!);
    const step = (next - value) / CELL;
    for (let i = 0; i < CELL; i++) values[at + i] = value + i * step;
    value = next;
  }
}
