import type { MarkKind } from './contract/marks.ts';
import { evenOddArea } from './evenOddArea.ts';
import { angleBetween, angleOfLines, areaBetween, lengthBetween, type Scale } from './pixelScale.ts';

type Point = { readonly x: number; readonly y: number };
type Points = readonly Point[];

export type QuantityName = 'length' | 'short_axis' | 'angle' | 'area';
export type Quantity = {
  readonly name: QuantityName;
  readonly value: number;
  readonly unit: 'mm' | 'px' | '°' | 'mm²' | 'px²';
};

type Measure = (points: Points, scale: Scale) => readonly Quantity[];

/**
 * What follows from the points of a mark alone, on a frame, a plane or a slide: the page and all exports have these numbers.
 * Fewer while it is being drawn. The values inside are statistics.
 */
export function measureShape(kind: MarkKind, points: Points, scale: Scale): readonly Quantity[] {
  return MEASURES[kind](points, scale);
}

/** Of the shape as drawn, in pixels². Undefined for a kind that is no area, and for an outline that crosses too often. */
export function areaInPixels(kind: MarkKind, points: Points): number | undefined {
  const [a, b] = points;
  const box = a === undefined || b === undefined ? 0 : areaBetween(a, b, [1, 1]);
  if (kind === 'box') return box;
  if (kind === 'ellipse') return (Math.PI / 4) * box;
  return kind === 'polygon' ? areaOfPolygon(points) : undefined;
}

export function toArea(areaPixels: number, { spacing, unit }: Scale): Quantity {
  return { name: 'area', value: areaPixels * spacing[0] * spacing[1], unit: unit === 'mm' ? 'mm²' : 'px²' };
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

function measureArea(kind: MarkKind): Measure {
  return (points, scale) => {
    const area = areaInPixels(kind, points);
    return area === undefined ? [] : [toArea(area, scale)];
  };
}

const measureLine: Measure = (points, { spacing, unit }) => {
  const value = points.reduce((sum, point, n) => sum + lengthBetween(points[n - 1] ?? point, point, spacing), 0);
  return [{ name: 'length', value, unit }];
};

const measureNothing: Measure = () => [];

const MEASURES: Readonly<Record<MarkKind, Measure>> = {
  box: measureArea('box'),
  ellipse: measureArea('ellipse'),
  polygon: measureArea('polygon'),
  freehand: measureLine,
  // Of a mask, the pixels are counted.
  brush: measureNothing,
  point: measureNothing,
  // Its tail is where the text has room.
  arrow: measureNothing,
  length: measureLine,
  angle([a, vertex, b], { aspect }) {
    const isWhole = a !== undefined && vertex !== undefined && b !== undefined;
    return [{ name: 'angle', value: isWhole ? angleBetween(a, vertex, b, aspect) : 0, unit: '°' }];
  },
  cobb([a, b, c, d], { aspect }) {
    if (a === undefined || b === undefined || c === undefined || d === undefined) return [];
    return [{ name: 'angle', value: angleOfLines([a, b], [c, d], aspect), unit: '°' }];
  },
  bidirectional([a, b, c, d], { spacing, unit }) {
    const lengths = [a && b && lengthBetween(a, b, spacing), c && d && lengthBetween(c, d, spacing)];
    const [long, short] = lengths.filter((length) => length !== undefined).toSorted((one, other) => other - one);
    return [
      ...(long === undefined ? [] : [{ name: 'length' as const, value: long, unit }]),
      ...(short === undefined ? [] : [{ name: 'short_axis' as const, value: short, unit }]),
    ];
  },
};
