/** What the points of a mark are. `lines`: two lines of two points each. `pixels`: those of a mask, which has no points. */
export type MarkShape = 'point' | 'line' | 'lines' | 'box' | 'ellipse' | 'polygon' | 'pixels';

/** What is measured at the points (`markMeasures.ts`). */
export type MeasureName = 'area' | 'length' | 'angle' | 'angle of lines' | 'axes' | 'nothing';

export const MARK_PLACES = ['frame', 'stack', 'plane', 'volume', 'slide'] as const;
export type MarkPlaceType = (typeof MARK_PLACES)[number];

/**
 * What server and page know of a kind of mark. How it is drawn, and its tool, are in
 * `web/draw/marks/shapes/measureKinds.ts`.
 */
export type MarkTraits = {
  readonly title: string;
  readonly shape: MarkShape;
  /** The fewest and the most points; through a stack, of each slice. */
  readonly points: readonly [fewest: number, most: number];
  readonly places: readonly MarkPlaceType[];
  readonly measures: MeasureName;
  /** A text that is shown beside it; all kinds have a label and a comment. */
  readonly hasText?: boolean;
};

const FLAT = ['frame', 'plane', 'slide'] as const;

/** Every kind of mark that a client can make. ROIs of the specification are listed beside them, as kind `roi`. */
export const MARK_TRAITS = {
  box: {
    title: 'Box',
    shape: 'box',
    points: [2, 2],
    places: [...FLAT, 'stack', 'volume'],
    measures: 'area',
  },
  ellipse: {
    title: 'Ellipse',
    shape: 'ellipse',
    points: [2, 2],
    places: [...FLAT, 'stack'],
    measures: 'area',
  },
  polygon: {
    title: 'Polygon',
    shape: 'polygon',
    points: [3, Infinity],
    places: [...FLAT, 'stack'],
    measures: 'area',
  },
  freehand: {
    title: 'Freehand line',
    shape: 'line',
    points: [2, Infinity],
    places: FLAT,
    measures: 'length',
  },
  brush: {
    title: 'Brush mask',
    shape: 'pixels',
    points: [0, 0],
    places: ['stack', 'slide'],
    // Its pixels are counted.
    measures: 'nothing',
  },
  point: {
    title: 'Pixel',
    shape: 'point',
    points: [1, 1],
    places: FLAT,
    measures: 'nothing',
  },
  arrow: {
    title: 'Arrow',
    shape: 'line',
    points: [2, 2],
    places: FLAT,
    // Its tail is where the text has room.
    measures: 'nothing',
    hasText: true,
  },
  length: {
    title: 'Length',
    shape: 'line',
    points: [2, 2],
    places: FLAT,
    measures: 'length',
  },
  angle: {
    title: 'Angle',
    shape: 'line',
    points: [3, 3],
    places: FLAT,
    measures: 'angle',
  },
  cobb: {
    title: 'Cobb angle',
    shape: 'lines',
    points: [4, 4],
    places: FLAT,
    measures: 'angle of lines',
  },
  bidirectional: {
    title: 'Two axes',
    shape: 'lines',
    points: [4, 4],
    places: FLAT,
    measures: 'axes',
  },
} as const satisfies Readonly<Record<string, MarkTraits>>;

export type MarkKind = keyof typeof MARK_TRAITS;
/** The kinds with points; a mask is painted. */
export type DrawnKind = {
  [Kind in MarkKind]: (typeof MARK_TRAITS)[Kind]['shape'] extends 'pixels' ? never : Kind;
}[MarkKind];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
export const MARK_KINDS = Object.keys(MARK_TRAITS) as readonly MarkKind[];

export function isDrawnKind(name: unknown): name is DrawnKind {
  return MARK_KINDS.some((kind) => kind === name && !isMask(kind));
}

export function traitsOf(kind: MarkKind): MarkTraits {
  return MARK_TRAITS[kind];
}

export function isMask(kind: MarkKind): boolean {
  return traitsOf(kind).shape === 'pixels';
}

/** Whether its outline encloses pixels. */
export function hasOutline(kind: MarkKind): boolean {
  return ['box', 'ellipse', 'polygon'].includes(traitsOf(kind).shape);
}

export function isAreaKind(kind: MarkKind): boolean {
  return hasOutline(kind) || isMask(kind);
}

/** Whether there are values inside; of a point, that of its pixel. */
export function hasValuesInside(kind: MarkKind): boolean {
  return isAreaKind(kind) || traitsOf(kind).shape === 'point';
}
