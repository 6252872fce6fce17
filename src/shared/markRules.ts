import type { MarkKind, MarkPlaceType } from './contract/marks.ts';

/** How many points a kind has, and where it can be. */
export type MarkRule = {
  readonly title: string;
  readonly fewest: number;
  readonly most: number;
  readonly places: readonly MarkPlaceType[];
};

const FLAT = ['frame', 'plane', 'slide'] as const;

/** The rules of each kind, for server and page. Through a stack, the numbers of points are those of each slice. */
export const MARK_RULES: Readonly<Record<MarkKind, MarkRule>> = {
  box: { title: 'Box', fewest: 2, most: 2, places: [...FLAT, 'stack', 'volume'] },
  ellipse: { title: 'Ellipse', fewest: 2, most: 2, places: [...FLAT, 'stack'] },
  polygon: { title: 'Polygon', fewest: 3, most: Infinity, places: [...FLAT, 'stack'] },
  freehand: { title: 'Freehand line', fewest: 2, most: Infinity, places: FLAT },
  brush: { title: 'Brush mask', fewest: 0, most: 0, places: ['stack', 'slide'] },
  point: { title: 'Point', fewest: 1, most: 1, places: FLAT },
  arrow: { title: 'Arrow', fewest: 2, most: 2, places: FLAT },
  length: { title: 'Length', fewest: 2, most: 2, places: FLAT },
  angle: { title: 'Angle', fewest: 3, most: 3, places: FLAT },
  cobb: { title: 'Cobb angle', fewest: 4, most: 4, places: FLAT },
  bidirectional: { title: 'Two axes', fewest: 4, most: 4, places: FLAT },
};
