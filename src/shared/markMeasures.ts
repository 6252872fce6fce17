import { evenOddArea } from './evenOddArea.ts';
import { type MarkKind, type MeasureName, traitsOf } from './markTraits.ts';
import { angleBetween, angleOfLines, areaBetween, lengthBetween, type RegionAxis, type Scale } from './pixelScale.ts';

type Point = { readonly x: number; readonly y: number };
type Points = readonly Point[];

export type QuantityName = keyof typeof QUANTITY_UNITS;
export type Quantity = {
  readonly name: QuantityName;
  readonly value: number;
  readonly unit: (typeof QUANTITY_UNITS)[QuantityName][number];
};

/** The units of each quantity. The last five are of ultrasound regions whose axes are not both lengths. */
const QUANTITY_UNITS = {
  length: ['mm', 'px'],
  short_axis: ['mm', 'px'],
  angle: ['°'],
  area: ['mm²', 'px²'],
  time: ['s'],
  velocity: ['cm/s'],
  distance: ['mm'],
  frequency: ['Hz'],
  velocity_time_integral: ['cm'],
} as const;

type Measure = (kind: MarkKind, points: Points, scale: Scale) => readonly Quantity[];

/**
 * What follows from the points of a mark alone, on a frame, a plane or a slide: the page and all exports have these numbers.
 * Fewer while it is being drawn. The values inside are statistics.
 */
export function measureShape(kind: MarkKind, points: Points, scale: Scale): readonly Quantity[] {
  const { measures } = traitsOf(kind);
  return scale.axes === undefined
    ? MEASURES[measures](kind, points, scale)
    : measureAxes(kind, points, { ...scale, axes: scale.axes });
}

const QUANTITY_OF: Readonly<Record<RegionAxis['unit'], QuantityName>> = {
  s: 'time',
  'cm/s': 'velocity',
  mm: 'distance',
  Hz: 'frequency',
};

/**
 * Where axes differ, a line has how far it goes along each, and an area of velocity over time is their integral. Nothing
 * else means anything there.
 */
function measureAxes(
  kind: MarkKind,
  points: Points,
  { axes: { x, y }, ...scale }: Scale & Required<Pick<Scale, 'axes'>>,
): readonly Quantity[] {
  const { measures, points: most } = traitsOf(kind);
  const [a, b] = points;
  if (measures === 'length' && most[1] === 2 && a !== undefined && b !== undefined) {
    const along = (axis: RegionAxis | undefined, pixels: number): Quantity[] =>
      axis === undefined
        ? []
        : [{ name: QUANTITY_OF[axis.unit], value: Math.abs(pixels) * axis.perPixel, unit: axis.unit }];
    return [...along(x, b.x - a.x), ...along(y, b.y - a.y)];
  }
  if (measures !== 'area') return [];
  const area = areaInPixels(kind, points);
  if (area === undefined) return [];
  if (x?.unit !== 's' || y?.unit !== 'cm/s') return [toArea(area, scale)];
  return [{ name: 'velocity_time_integral', value: area * x.perPixel * y.perPixel, unit: 'cm' }];
}

/** Of the shape as drawn, in pixels². Undefined for a kind that is no area, and for an outline that crosses too often. */
export function areaInPixels(kind: MarkKind, points: Points): number | undefined {
  const [a, b] = points;
  const box = a === undefined || b === undefined ? 0 : areaBetween(a, b, [1, 1]);
  const { shape } = traitsOf(kind);
  if (shape === 'box') return box;
  if (shape === 'ellipse') return (Math.PI / 4) * box;
  return shape === 'polygon' ? areaOfPolygon(points) : undefined;
}

/** What must be said about the sizes of a shape, on the page and in all exports; nothing about most. */
export function caveatsOfShape(kind: MarkKind, points: Points): readonly string[] {
  const lacksArea = traitsOf(kind).shape === 'polygon' && areaInPixels(kind, points) === undefined;
  return lacksArea ? ['No area: the outline crosses itself more than 10,000 times or is beside itself too often'] : [];
}

export function toArea(areaPixels: number, { spacing, unit }: Pick<Scale, 'spacing' | 'unit'>): Quantity {
  return { name: 'area', value: areaPixels * spacing[0] * spacing[1], unit: unit === 'mm' ? 'mm²' : 'px²' };
}

/** The area of a mark on one frame, and the depth of the patient that the frame stands for. */
export type SliceOfMark = { readonly area: Quantity | undefined; readonly depthMm: number };

/**
 * The sum of the areas of a mark on its frames, each times its share of the distance between frames: half of the way to the
 * frame before, and half of that to the frame after. Undefined where a size or a place is not known in millimetres.
 */
export function volumeOfSlicesMl(slices: Iterable<SliceOfMark>): number | undefined {
  let sumMm3 = 0;
  for (const { area, depthMm } of slices) {
    if (area?.unit !== 'mm²') return undefined;
    sumMm3 += area.value * depthMm;
  }
  return Number.isFinite(sumMm3) ? sumMm3 / 1_000 : undefined;
}

const knownAreas = new WeakMap<Points, { readonly area: number | undefined }>();

/** Remembered, because the page asks for each picture that it draws. Points that change are another array. */
function areaOfPolygon(points: Points): number | undefined {
  const before = knownAreas.get(points);
  if (before !== undefined) return before.area;
  const area = evenOddArea([points.flatMap(({ x, y }) => [x, y])]);
  knownAreas.set(points, { area });
  return area;
}

/** The two axes of a mark by their lengths; only one while the other has not been drawn. */
function sortAxes([a, b, c, d]: Points, { spacing }: Scale): readonly number[] {
  const lengths = [a && b && lengthBetween(a, b, spacing), c && d && lengthBetween(c, d, spacing)];
  return lengths.filter((length) => length !== undefined).toSorted((one, other) => other - one);
}

const MEASURES: Readonly<Record<MeasureName, Measure>> = {
  area(kind, points, scale) {
    const area = areaInPixels(kind, points);
    return area === undefined ? [] : [toArea(area, scale)];
  },
  length(_, points, { spacing, unit }) {
    const value = points.reduce((sum, point, n) => sum + lengthBetween(points[n - 1] ?? point, point, spacing), 0);
    return [{ name: 'length', value, unit }];
  },
  angle(_, [a, vertex, b], { aspect }) {
    const isWhole = a !== undefined && vertex !== undefined && b !== undefined;
    return [{ name: 'angle', value: isWhole ? angleBetween(a, vertex, b, aspect) : 0, unit: '°' }];
  },
  'angle of lines'(_, [a, b, c, d], { aspect }) {
    if (a === undefined || b === undefined || c === undefined || d === undefined) return [];
    return [{ name: 'angle', value: angleOfLines([a, b], [c, d], aspect), unit: '°' }];
  },
  axes(_, points, scale) {
    const { unit } = scale;
    const [long, short] = sortAxes(points, scale);
    return [
      ...(long === undefined ? [] : [{ name: 'length' as const, value: long, unit }]),
      ...(short === undefined ? [] : [{ name: 'short_axis' as const, value: short, unit }]),
    ];
  },
  nothing: () => [],
};
