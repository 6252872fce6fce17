import type { ComparisonResponse } from '../../../shared/contract/comparison.ts';
import { cross, dot, subtract, type Vector3 } from '../../../shared/geometry.ts';
import type { ErrorKind } from '../../kit/state/compareChoice.ts';
import type { ComparedPair } from './comparison.ts';

/** A sample of the grid on which two layers are compared. */
export type GridSample = { readonly slice: number; readonly column: number; readonly row: number };

/** A slice with errors, of all pairs that are looked at. */
export type ErrorSlice = GridSample & { readonly falsePositive: number; readonly falseNegative: number };

export type ComparedGridPlace = NonNullable<ComparisonResponse['place']>;

/** Slices in which pairs differ, in the order of the grid. Of one kind of error only, if wanted. */
export function listErrorSlices(pairs: readonly ComparedPair[], only: ErrorKind | undefined): readonly ErrorSlice[] {
  const slices = new Map<number, ErrorSlice & { readonly largest: number }>();
  for (const { errors } of pairs) {
    for (const { slice, column, row, ...counts } of errors?.slices ?? []) {
      const falsePositive = only === 'fn' ? 0 : counts.false_positive;
      const falseNegative = only === 'fp' ? 0 : counts.false_negative;
      const own = falsePositive + falseNegative;
      if (own === 0) continue;
      const known = slices.get(slice);
      // The sample is that of the pair with most errors.
      const at = known === undefined || own > known.largest ? { column, row, largest: own } : known;
      slices.set(slice, {
        slice,
        column: at.column,
        row: at.row,
        largest: at.largest,
        falsePositive: (known?.falsePositive ?? 0) + falsePositive,
        falseNegative: (known?.falseNegative ?? 0) + falseNegative,
      });
    }
  }
  return [...slices.values()].toSorted((a, b) => a.slice - b.slice);
}

/** The next slice with an error after a place among the slices; undefined if there is none. */
export function findNextSlice(slices: readonly ErrorSlice[], at: number, step: 1 | -1): ErrorSlice | undefined {
  // A picture lies half a slice off at most, as of stored images and of a grid that ends elsewhere.
  return step > 0
    ? slices.find(({ slice }) => slice > at + HALF_SLICE)
    : slices.findLast(({ slice }) => slice < at - HALF_SLICE);
}

const HALF_SLICE = 0.5;

/** The slice with most wrong samples; the first of several. */
export function findWorstSlice(slices: readonly ErrorSlice[]): ErrorSlice | undefined {
  const [first, ...others] = slices;
  const wrong = ({ falsePositive, falseNegative }: ErrorSlice) => falsePositive + falseNegative;
  return first && others.reduce((worst, one) => (wrong(one) > wrong(worst) ? one : worst), first);
}

export type WrongComponent = GridSample & { readonly samples: number };

/** The largest component of the test of which the truth has too little. */
export function findLargestFalse(pairs: readonly ComparedPair[]): WrongComponent | undefined {
  const found = pairs.flatMap(({ errors }) => errors?.largest_false ?? []);
  const [first, ...others] = found;
  return first && others.reduce((largest, one) => (one.samples > largest.samples ? one : largest), first);
}

/** The center of a sample in the patient. */
export function pointOfSample({ origin_mm, steps_mm }: ComparedGridPlace, { column, row, slice }: GridSample): Vector3 {
  const [along, down, through] = steps_mm;
  const at = (axis: 0 | 1 | 2) => origin_mm[axis] + column * along[axis] + row * down[axis] + slice * through[axis];
  return [at(0), at(1), at(2)];
}

/** Where a point lies among the slices of a grid, whose first one is 0. */
export function sliceAt({ origin_mm, steps_mm }: ComparedGridPlace, point: Vector3): number {
  const normal = cross(steps_mm[0], steps_mm[1]);
  return dot(subtract(point, origin_mm), normal) / dot(steps_mm[2], normal);
}

/** The direction through the slices along a vector: 1, -1, or 0 if the vector runs rather within them. */
export function directionAlong({ steps_mm }: ComparedGridPlace, vector: Vector3): 1 | -1 | 0 {
  const normal = cross(steps_mm[0], steps_mm[1]);
  const size = Math.sqrt(dot(normal, normal) * dot(vector, vector));
  const cosine = size === 0 ? 0 : (dot(vector, normal) * Math.sign(dot(steps_mm[2], normal))) / size;
  return Math.abs(cosine) < MOSTLY ? 0 : cosine > 0 ? 1 : -1;
}

/** Half of a right angle. */
const MOSTLY = Math.SQRT1_2;
