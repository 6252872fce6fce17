import type { ArrayHeader } from '../../../images/attachments/arrayHeader.ts';

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

/** How a user wants an array to lie that says nothing about it. */
export type Arrangement = {
  /** One of the orders in which it fits. */
  readonly order: number;
  /** Axes of the stack along which it runs the other way. */
  readonly flips: { readonly columns: boolean; readonly rows: boolean; readonly slices: boolean };
};

export const AS_IT_IS: Arrangement = { order: 0, flips: { columns: false, rows: false, slices: false } };

/** The order that a user wants. */
export function arrangeOrder(orders: readonly ArrayOrder[], { order, flips }: Arrangement): ArrayOrder | undefined {
  const chosen = orders[order];
  if (chosen === undefined) return undefined;
  return {
    ...chosen,
    columns: flip(chosen.columns, flips.columns),
    rows: flip(chosen.rows, flips.rows),
    slices: flip(chosen.slices, flips.slices),
  };
}

function flip(axis: OrderedAxis, isFlipped: boolean): OrderedAxis {
  return { ...axis, isReversed: axis.isReversed !== isFlipped };
}

/** What each axis of an array is, in the order in which its shape names them: `slices, rows, columns`. */
export function nameOrder({ sizes, isSlowestFirst }: Pick<ArrayHeader, 'sizes' | 'isSlowestFirst'>, order: ArrayOrder) {
  const names = sizes.map((_, axis) => {
    if (order.columns.axis === axis) return 'columns';
    if (order.rows.axis === axis) return 'rows';
    return order.slices.axis === axis ? 'slices' : 'channels';
  });
  return (isSlowestFirst === true ? names.toReversed() : names).join(', ');
}

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

/** Calls back for each run of elements in one row of the array, with the place of its first element. */
export type EachRun = (length: number, write: (from: number, count: number, to: number) => boolean) => boolean;

/** Walks through the elements of an array in memory order, wherever a block of them begins. */
export function createRuns(sizes: readonly number[], { start, steps }: Strides): EachRun {
  const [width = 1, ...others] = sizes;
  const [step = 1, ...otherSteps] = steps;
  const at = others.map(() => 0);
  let inRow = 0;
  let base = start;

  const nextRow = () => {
    inRow = 0;
    for (let axis = 0; axis < others.length; axis += 1) {
      at[axis]! += 1;
      base += otherSteps[axis]!;
      if (at[axis]! < others[axis]!) return;
      base -= otherSteps[axis]! * others[axis]!;
      at[axis] = 0;
    }
  };

  return (length, write) => {
    for (let from = 0; from < length;) {
      const count = Math.min(width - inRow, length - from);
      if (!write(from, count, base + inRow * step)) return false;
      from += count;
      inRow += count;
      if (inRow === width) nextRow();
    }
    return true;
  };
}
