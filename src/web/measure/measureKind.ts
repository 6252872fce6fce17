import type { Point } from '../state/viewState.ts';
import type { Region } from './region.ts';
import type { Scale } from './scale.ts';

export type Quantity = {
  readonly name: 'length' | 'angle' | 'area';
  readonly value: number;
  readonly unit: string;
};

/** What can be measured. Points are of the image unless they are said to be of the screen. */
export type MeasureKind = {
  readonly title: string;
  /** How many points a hand sets; the first two with one drag. */
  readonly pointCount: 1 | 2 | 3;
  /** What follows from the points alone. */
  readonly quantityOf?: (points: readonly Point[], scale: Scale) => Quantity;
  /** Whose values are measured. */
  readonly regionOf?: (points: readonly Point[]) => Region;
  /** As an SVG path; points and path are of the screen. */
  readonly outline: (points: readonly Point[]) => string;
  /** From a point of the screen to the outline, both of the screen. */
  readonly distanceTo: (at: Point, points: readonly Point[]) => number;
  readonly handlesOf: (points: readonly Point[]) => readonly Point[];
  readonly dragHandle: (points: readonly Point[], handle: number, to: Point) => readonly Point[];
};
