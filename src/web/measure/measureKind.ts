import type { Point } from '../state/viewState.ts';
import type { Region } from './region.ts';
import type { Scale } from './scale.ts';

export type Quantity = {
  readonly name: 'length' | 'angle' | 'area';
  readonly value: number;
  readonly unit: string;
};

/** A kind of measurement. Points are in image pixels unless described as screen points. */
export type MeasureKind = {
  readonly title: string;
  /** Number of points that the user sets; the first two with one drag. */
  readonly pointCount: 1 | 2 | 3;
  /** The quantity that follows from the points alone. */
  readonly quantityOf?: (points: readonly Point[], scale: Scale) => Quantity;
  /** The region whose values are measured. */
  readonly regionOf?: (points: readonly Point[]) => Region;
  /** The outline as an SVG path; points and path are in screen coordinates. */
  readonly outline: (points: readonly Point[]) => string;
  /** Distance from a screen point to the outline, which is also in screen coordinates. */
  readonly distanceTo: (at: Point, points: readonly Point[]) => number;
  readonly handlesOf: (points: readonly Point[]) => readonly Point[];
  readonly dragHandle: (points: readonly Point[], handle: number, to: Point) => readonly Point[];
};
