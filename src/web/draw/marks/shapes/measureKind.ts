import type { LucideIcon } from 'lucide-react';
import type { Point, ViewedImage } from '../../../kit/state/viewState.ts';
import { measureShape, type Quantity } from '../../../../shared/markMeasures.ts';
import { type DrawnKind, traitsOf } from '../../../../shared/markTraits.ts';
import type { Region } from '../../../../shared/region.ts';
import type { Scale } from '../../../../shared/pixelScale.ts';

/** The pointer while a kind is drawn. `from` is where it was pressed; undefined if it is not, or has not moved since. */
export type DrawingPointer = { readonly from?: Point | undefined; readonly to: Point };

/** How the user sets the points of a kind. */
export type Making =
  /** One click. */
  | { readonly by: 'click' }
  /** One drag, from the first point to the second. */
  | { readonly by: 'drag' }
  /**
   * A drag for the first two points, then a click or a drag for the rest. `complete` returns all points, or only the
   * first two if the pointer does not say enough.
   */
  | {
      readonly by: 'two steps';
      readonly complete: (first: readonly Point[], pointer: DrawingPointer, image: ViewedImage) => readonly Point[];
    }
  /** A click for each corner. */
  | { readonly by: 'corners' }
  /** One drag along the whole line. */
  | { readonly by: 'path' };

/** The tool that draws a kind. */
export type DrawingTool = {
  /** What it is in menus and the palette. */
  readonly title: string;
  readonly key: string;
  /** Beside the icon in the toolbar, if there is room. */
  readonly name: string;
  readonly icon: LucideIcon;
  /** Its order in the toolbar; the larger, the sooner it moves into the overflow menu. */
  readonly goes: number;
};

/** How a kind of mark is drawn, and what follows from its traits. Points are in image pixels unless described as screen points. */
export type MeasureKind = {
  readonly title: string;
  readonly tool: DrawingTool;
  readonly making: Making;
  /** The quantities that follow from the points alone. Fewer while it is being drawn. */
  readonly quantitiesOf?: (points: readonly Point[], scale: Scale) => readonly Quantity[];
  /** A remark on the quantities, such as why one is missing. */
  readonly noteOf?: (points: readonly Point[]) => string | undefined;
  /** The region whose values are measured. */
  readonly regionOf?: (points: readonly Point[]) => Region;
  /** The outline as an SVG path; points and path are in screen coordinates. */
  readonly outline: (points: readonly Point[]) => string;
  /** Distance from a screen point to the outline, which is also in screen coordinates. */
  readonly distanceTo: (at: Point, points: readonly Point[]) => number;
  readonly handlesOf: (points: readonly Point[]) => readonly Point[];
  readonly dragHandle: (points: readonly Point[], handle: number, to: Point, image: ViewedImage) => readonly Point[];
  /** Puts the points in their order when the user has drawn or changed it. */
  readonly settle?: (points: readonly Point[], image: ViewedImage) => readonly Point[];
  /** The points beside which its label is; absent: its handles. */
  readonly labelPointsOf?: (points: readonly Point[]) => readonly Point[];
};

/** The rest comes from the table of kinds. */
export function drawnBy(kind: DrawnKind, drawing: Omit<MeasureKind, 'title' | 'quantitiesOf'>): MeasureKind {
  const { title, measures } = traitsOf(kind);
  if (measures === 'nothing') return { ...drawing, title };
  return { ...drawing, title, quantitiesOf: (points, scale) => measureShape(kind, points, scale) };
}
