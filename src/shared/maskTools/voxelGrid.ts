/** A mask over several slices has one byte for each sample, slice after slice, row after row: 1 inside and 0 outside. */
export type VoxelGrid = { readonly columns: number; readonly rows: number; readonly slices: number };

/** Where the samples of a grid are, in one unit: between columns, between rows, and each slice along the normal. */
export type GridSpacing = {
  readonly column: number;
  readonly row: number;
  readonly positions: ArrayLike<number>;
};

/**
 * Distances that are equal to the radius by definition, such as 10 samples of 0.3 mm and 3 mm, differ from it by rounding.
 * They count as within it.
 */
export function withinRadius(radius: number): number {
  return radius * radius * (1 + 2e-6);
}
