import {
  hasSameOrientation,
  type ImagePlane,
  type PixelPosition,
  type PlaneOrientation,
} from '../../../shared/geometry.ts';
import type { FrameGeometry } from './frameGeometry.ts';
import type { PixelMeasures } from './pixelSpacing.ts';

/**
 * Number of distinct values that are indexed. Beyond that, a new value is compared only with that of the previous
 * frame.
 */
const MOST_KNOWN = 4096;

type Columns = Pick<
  FrameGeometry,
  'length' | 'points' | 'orientations' | 'orientationOf' | 'measures' | 'measuresOf'
> & { readonly tilePlaces: Int32Array<ArrayBuffer> | undefined };

/** Builds the columns of a geometry. Values that frames share are stored once. */
export class GeometryColumns {
  readonly #length: number;
  readonly #points: Float64Array<ArrayBuffer>;
  readonly #orientationOf: Int32Array<ArrayBuffer>;
  readonly #measuresOf: Int32Array<ArrayBuffer>;
  #tilePlaces: Int32Array<ArrayBuffer> | undefined;
  readonly #orientations = createDistinct<PlaneOrientation>({
    isEqual: (a, b) => hasSameOrientation(a, b, 0),
    keyOf: ({ rowDirection, columnDirection }) => [...rowDirection, ...columnDirection].join(),
  });
  readonly #measures = createDistinct<PixelMeasures>({
    isEqual: isSameMeasures,
    keyOf: (measures) => Object.values(measures).join(),
  });

  constructor(length: number) {
    this.#length = length;
    this.#points = new Float64Array(3 * length).fill(NaN);
    this.#orientationOf = new Int32Array(length).fill(-1);
    this.#measuresOf = new Int32Array(length).fill(-1);
  }

  putPoint(frame: number, point: readonly number[]): void {
    this.#points.set(point, 3 * frame);
  }

  putTilePlace(frame: number, { row, column }: PixelPosition): void {
    this.#tilePlaces ??= new Int32Array(2 * this.#length).fill(-1);
    this.#tilePlaces[2 * frame] = column;
    this.#tilePlaces[2 * frame + 1] = row;
  }

  putOrientation(frame: number, orientation: PlaneOrientation): void {
    this.#orientationOf[frame] = this.#orientations.placeOf(orientation);
  }

  putMeasures(frame: number, measures: PixelMeasures): void {
    this.#measuresOf[frame] = this.#measures.placeOf(measures);
  }

  build(): Columns {
    const distinct = this.#orientations.values;
    const orientations = new Float64Array(6 * distinct.length);
    for (const [place, { rowDirection, columnDirection }] of distinct.entries()) {
      orientations.set(rowDirection, 6 * place);
      orientations.set(columnDirection, 6 * place + 3);
    }
    return {
      length: this.#length,
      points: this.#points,
      orientations,
      orientationOf: this.#orientationOf,
      measures: this.#measures.values,
      measuresOf: this.#measuresOf,
      tilePlaces: this.#tilePlaces,
    };
  }
}

function isSameMeasures(a: PixelMeasures, b: PixelMeasures): boolean {
  return (
    a.spacingMm?.[0] === b.spacingMm?.[0] &&
    a.spacingMm?.[1] === b.spacingMm?.[1] &&
    a.source === b.source &&
    a.aspectRatio === b.aspectRatio &&
    a.sliceSpacingMm === b.sliceSpacingMm &&
    a.sliceThicknessMm === b.sliceThicknessMm
  );
}

/** The geometry of an object with one frame, in the patient, whose plane is known already. */
export function geometryOfPlane(plane: ImagePlane, frameOfReferenceUid: string | undefined): FrameGeometry {
  const { position, rowSpacingMm, columnSpacingMm, ...orientation } = plane;
  const columns = new GeometryColumns(1);
  columns.putPoint(0, position);
  columns.putOrientation(0, orientation);
  columns.putMeasures(0, {
    spacingMm: [rowSpacingMm, columnSpacingMm],
    source: 'pixel_spacing',
    aspectRatio: rowSpacingMm / columnSpacingMm,
    sliceSpacingMm: undefined,
    sliceThicknessMm: undefined,
  });
  const { tilePlaces: _none, ...built } = columns.build();
  return {
    ...built,
    space: 'patient',
    frameOfReferenceUid,
    placesFrames: false,
    isSpatial: false,
    doubts: [],
  };
}

/**
 * A list that stores equal values once, in the order in which they occur. Most frames equal the previous one, which is
 * cheap to check.
 */
export function createDistinct<Value>({
  isEqual = Object.is,
  keyOf,
}: {
  readonly isEqual?: (a: Value, b: Value) => boolean;
  readonly keyOf: (value: Value) => string;
}) {
  const values: Value[] = [];
  const places = new Map<string, number>();
  let last: Value | undefined;
  let lastPlace = -1;
  return {
    values,
    placeOf(value: Value): number {
      if (last !== undefined && (value === last || isEqual(value, last))) return lastPlace;
      last = value;
      const key = keyOf(value);
      lastPlace = places.get(key) ?? values.push(value) - 1;
      if (places.size < MOST_KNOWN) places.set(key, lastPlace);
      return lastPlace;
    },
  };
}
