import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { Rgb } from '../../../../shared/cielab.ts';
import type { Code } from '../../../../shared/contract/semantics.ts';
import { MOST_LAYER_SPACES } from '../layerProvider.ts';

/**
 * The shapes of regions, in an image or in space. A `line` is endless and a `plane` too; they are given by two and three
 * of their points.
 */
export const REGION_SHAPES = [
  'point',
  'polyline',
  'polygon',
  'circle',
  'ellipse',
  'ellipsoid',
  'line',
  'plane',
] as const;
export type RegionShape = (typeof REGION_SHAPES)[number];

/** What a report or a set of fiducials draws over images. */
export type RegionRecord = {
  readonly parts: readonly RegionPart[];
  /** The images that regions are drawn on. */
  readonly images: readonly RegionImage[];
  /** The frames of reference of regions in space. */
  readonly spaces: readonly string[];
  readonly shapes: RegionColumns;
  /** Regions that cannot be drawn, by reason. */
  readonly leftOut: readonly { readonly part: number | undefined; readonly reason: string; readonly count: number }[];
  /** Reading stopped before the end of the object. */
  readonly isCut: boolean;
};

export type RegionPart = {
  readonly number: number;
  readonly label: string | undefined;
  /** Findings and measurements. */
  readonly description: string | undefined;
  readonly type: Code | undefined;
  readonly color: Rgb | undefined;
  /** The graphic types as the object names them. */
  readonly geometry: readonly string[];
  /** The content item of a report that describes it, such as `1.3.2`. */
  readonly item?: string | undefined;
  /** What is written beside the region. */
  readonly text: string | undefined;
  readonly count: number;
};

export type RegionImage = {
  readonly sopInstanceUid: string;
  /** From 0; undefined for all frames. */
  readonly frames: readonly number[] | undefined;
  /** Whether coordinates are those of each frame, or of the total pixel matrix of a slide. */
  readonly origin: 'frame' | 'matrix';
};

/** All shapes as columns in shared memory, so that tasks get them without a copy. */
export type RegionColumns = {
  readonly length: number;
  /**
   * x, y, z of all points. In space millimetres; in an image its pixels, where (0, 0) is the centre of the first pixel,
   * and z is 0.
   */
  readonly points: Float64Array;
  /** First point of each shape, followed by the end of the last one. */
  readonly starts: Uint32Array;
  /** Index into the list of parts. */
  readonly partOf: Uint32Array;
  /** Index into `REGION_SHAPES`. */
  readonly types: Uint8Array;
  /** Index into the list of images, or -1 minus the index into the list of spaces. */
  readonly placeOf: Int32Array;
  /** Radius around each point in which it really may be, in the unit of the points; NaN if it is not declared. */
  readonly uncertainties: Float64Array;
};

export function bytesOfRegions({ shapes, parts, images, spaces }: RegionRecord): number {
  const { points, starts, partOf, types, placeOf, uncertainties } = shapes;
  const columns = [points, starts, partOf, types, placeOf, uncertainties];
  const listed = 512 * parts.length + 256 * (images.length + spaces.length);
  return columns.reduce((sum, { byteLength }) => sum + byteLength, listed);
}

/** More than a page can draw. */
export const MOST_REGION_POINTS = 1_000_000;
export const MOST_REGIONS = 65_536;

/** Coordinates beyond are those of no image and no patient. */
const FARTHEST = 1e7;

/** The number of points that a shape must have; undefined if only the least number is given. */
const EXACT_POINTS: Partial<Record<RegionShape, number>> = { circle: 2, ellipse: 4, ellipsoid: 6, line: 2, plane: 3 };
const LEAST_POINTS: Record<RegionShape, number> = {
  point: 1,
  polyline: 2,
  polygon: 3,
  circle: 2,
  ellipse: 4,
  ellipsoid: 6,
  line: 2,
  plane: 3,
};

export type NewRegion = {
  readonly part: number;
  readonly shape: RegionShape;
  /** Two or three coordinates for each point. */
  readonly coordinates: readonly number[];
  readonly dimensions: 2 | 3;
  /** Undefined if there are more frames of reference than are looked at. */
  readonly place: number | undefined;
  readonly uncertainty?: number | undefined;
};

/** Collects shapes. One that is not drawable is refused with a reason. */
export function createRegionColumns(mostBytes: number) {
  const points: number[] = [];
  const starts: number[] = [];
  const partOf: number[] = [];
  const types: number[] = [];
  const placeOf: number[] = [];
  const uncertainties: number[] = [];
  return {
    /** Returns the reason why a shape cannot be drawn; undefined if it was added. */
    add({ part, shape, coordinates, dimensions, place, uncertainty = NaN }: NewRegion): string | undefined {
      if (types.length >= MOST_REGIONS) return `there are more than ${MOST_REGIONS} regions`;
      if (place === undefined) return `the object has regions in more than ${MOST_LAYER_SPACES} frames of reference`;
      const count = coordinates.length / dimensions;
      const needed = EXACT_POINTS[shape];
      if (!Number.isInteger(count)) return 'a region has a coordinate too many or too few';
      if (count < LEAST_POINTS[shape] || (needed !== undefined && count !== needed)) {
        return `a region of the type ${shape} has ${count} points`;
      }
      if (!coordinates.every((value) => Math.abs(value) < FARTHEST)) return 'a coordinate is not a number';
      if (points.length / 3 + count > Math.min(MOST_REGION_POINTS, mostBytes / 32)) {
        throw new ViewerError('layer_too_large', 'the regions have more points than --memory leaves room for');
      }
      starts.push(points.length / 3);
      for (let at = 0; at < count; at += 1) {
        for (let axis = 0; axis < 3; axis += 1) {
          points.push(axis < dimensions ? coordinates[at * dimensions + axis]! : 0);
        }
      }
      partOf.push(part);
      types.push(REGION_SHAPES.indexOf(shape));
      placeOf.push(place);
      uncertainties.push(uncertainty > 0 && uncertainty < FARTHEST ? uncertainty : NaN);
      return undefined;
    },
    finish(): RegionColumns {
      return {
        length: types.length,
        points: shared(Float64Array, points),
        starts: shared(Uint32Array, [...starts, points.length / 3]),
        partOf: shared(Uint32Array, partOf),
        types: shared(Uint8Array, types),
        placeOf: shared(Int32Array, placeOf),
        uncertainties: shared(Float64Array, uncertainties),
      };
    },
  };
}

function shared<Column extends Float64Array | Uint32Array | Int32Array | Uint8Array>(
  Kind: { new (buffer: SharedArrayBuffer): Column; readonly BYTES_PER_ELEMENT: number },
  values: readonly number[],
): Column {
  const column = new Kind(new SharedArrayBuffer(Kind.BYTES_PER_ELEMENT * values.length));
  column.set(values);
  return column;
}

/** Collects the reasons why regions are left out. */
export function createLeftOut() {
  const reasons = new Map<string, { part: number | undefined; reason: string; count: number }>();
  return {
    add(part: number | undefined, reason: string): void {
      const key = `${part} ${reason}`;
      const known = reasons.get(key);
      if (known !== undefined) known.count += 1;
      else if (reasons.size < MOST_REASONS) reasons.set(key, { part, reason, count: 1 });
    },
    list: () => [...reasons.values()],
  };
}

const MOST_REASONS = 256;

/** Numbers the images that regions name, each once. */
export function createPlaces() {
  const images = new Map<string, { readonly at: number; readonly image: RegionImage }>();
  const spaces = new Map<string, number>();
  return {
    ofImage(image: RegionImage): number {
      const key = `${image.sopInstanceUid} ${image.origin} ${image.frames?.join() ?? ''}`;
      const known = images.get(key) ?? { at: images.size, image };
      images.set(key, known);
      return known.at;
    },
    /** Undefined beyond `MOST_LAYER_SPACES`. */
    ofSpace(frameOfReferenceUid: string): number | undefined {
      const known = spaces.get(frameOfReferenceUid) ?? spaces.size;
      if (known === MOST_LAYER_SPACES) return undefined;
      spaces.set(frameOfReferenceUid, known);
      return -1 - known;
    },
    list: () => ({ images: [...images.values()].map(({ image }) => image), spaces: [...spaces.keys()] }),
  };
}
