/** An axis of an array that is an axis of a stack, perhaps the other way round. */
export type OrderedAxis = { readonly axis: number; readonly isReversed: boolean };

/** Which axes of an array are the columns, rows and slices of a stack. */
export type ArrayOrder = {
  readonly columns: OrderedAxis;
  readonly rows: OrderedAxis;
  readonly slices: OrderedAxis;
  /** The axis that is not in space; undefined if there is none. */
  readonly channels: number | undefined;
};

/** Where the elements of an array go in the order channel, slice, row, column. */
export type Strides = {
  readonly start: number;
  /** For each axis of the array. */
  readonly steps: readonly number[];
};

export function findStrides(sizes: readonly number[], { columns, rows, slices, channels }: ArrayOrder): Strides {
  const steps = sizes.map(() => 0);
  let [start, step] = [0, 1];
  for (const { axis, isReversed } of [columns, rows, slices]) {
    steps[axis] = isReversed ? -step : step;
    if (isReversed) start += step * (sizes[axis]! - 1);
    step *= sizes[axis]!;
  }
  if (channels !== undefined) steps[channels] = step;
  return { start, steps };
}
