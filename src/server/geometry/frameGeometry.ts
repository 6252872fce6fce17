import type { ImagePlane, PlaneOrientation, PlaneSpace, Vector3 } from '../../shared/geometry.ts';
import type { PixelMeasures } from './pixelSpacing.ts';

/**
 * Where the frames of one object lie, and how large their pixels are. Columns, because an object can have 100,000 frames;
 * what many frames have alike is there once. Made by `GeometryBuilder`.
 */
export type FrameGeometry = {
  readonly length: number;
  /** The coordinates that the points are in. */
  readonly space: PlaneSpace;
  readonly frameOfReferenceUid: string | undefined;
  /** Centre of the first sample of each frame in millimetres, three coordinates a frame; NaN where it is not known. */
  readonly points: Float64Array<ArrayBuffer>;
  /** Unit vectors along a row and down a column, six numbers for each different orientation. */
  readonly orientations: Float64Array<ArrayBuffer>;
  /** For each frame which of `orientations`; -1 for none. */
  readonly orientationOf: Int32Array<ArrayBuffer>;
  readonly measures: readonly PixelMeasures[];
  /** For each frame which of `measures`. */
  readonly measuresOf: Int32Array<ArrayBuffer>;
  /**
   * The object orders its frames in space: it has functional groups for each frame, or is a dose grid. The frames of other
   * objects, such as a cine or an NM reconstruction, are shown in the order in which they are stored.
   */
  readonly placesFrames: boolean;
  /** False where all frames have one place in common, as those of a cine. */
  readonly isSpatial: boolean;
  readonly doubts: readonly GeometryDoubt[];
};

/** What keeps the geometry of an object from being complete or certain. */
export const GEOMETRY_DOUBTS = {
  no_position: 'it is not said where the frame lies',
  bad_position: 'the position is not three numbers',
  no_orientation: 'it is not said how the frame is oriented',
  bad_orientation: 'the orientation is not two perpendicular unit vectors',
  no_spacing: 'it is not said how large the pixels are',
  detector_spacing: 'the size of the pixels is that at the detector, not in the patient',
  film_spacing: 'the size of the pixels is that on a scanned film',
  undescribed_frame: 'the object has fewer functional groups than frames',
  dose_offsets: 'Grid Frame Offset Vector begins neither with 0 nor with the height of an axial grid',
  dose_offset_count: 'Grid Frame Offset Vector has fewer values than there are frames',
  volume_space: 'the position is in the coordinates of an ultrasound volume, not of the patient',
} as const;
export type GeometryDoubtCode = keyof typeof GEOMETRY_DOUBTS;

export type GeometryDoubt = {
  readonly code: GeometryDoubtCode;
  /** Frames that it is about, and the first of them. */
  readonly frameCount: number;
  readonly firstFrame: number;
};

/** Undefined where the frame has no orientation. */
export function orientationAt({ orientations, orientationOf }: FrameGeometry, frame: number) {
  return buildOrientationAt(orientations, orientationOf[frame] ?? -1);
}

/** Each different orientation as an object of its own, in the order of `orientationOf`. */
export function listOrientations({ orientations }: FrameGeometry): readonly (PlaneOrientation | undefined)[] {
  return Array.from({ length: orientations.length / 6 }, (_, index) => buildOrientationAt(orientations, index));
}

function buildOrientationAt(orientations: Float64Array, index: number): PlaneOrientation | undefined {
  if (index < 0) return undefined;
  return { rowDirection: vectorAt(orientations, 6 * index), columnDirection: vectorAt(orientations, 6 * index + 3) };
}

/** Undefined where it is not known where the frame lies. */
export function pointAt({ points }: FrameGeometry, frame: number): Vector3 | undefined {
  const point = vectorAt(points, 3 * frame);
  return Number.isFinite(point[0]) ? point : undefined;
}

export function measuresAt({ measures, measuresOf }: FrameGeometry, frame: number): PixelMeasures | undefined {
  return measures[measuresOf[frame] ?? -1];
}

/**
 * The plane of a frame in space. Undefined where its place, its orientation or the size of its pixels is not known.
 * Distances at a detector or on a film are none in the patient.
 */
export function planeAt(geometry: FrameGeometry, frame: number): ImagePlane | undefined {
  const { spacingMm, source } = measuresAt(geometry, frame) ?? {};
  if (spacingMm === undefined || source !== 'pixel_spacing') return undefined;
  const position = pointAt(geometry, frame);
  const orientation = position && orientationAt(geometry, frame);
  if (position === undefined || orientation === undefined) return undefined;
  return { position, ...orientation, rowSpacingMm: spacingMm[0], columnSpacingMm: spacingMm[1] };
}

/** Bytes that it takes. */
export function bytesOfGeometry({ points, orientations, orientationOf, measuresOf, measures }: FrameGeometry): number {
  const columns = [points, orientations, orientationOf, measuresOf];
  return columns.reduce((sum, { byteLength }) => sum + byteLength, measures.length * BYTES_OF_MEASURES);
}

const BYTES_OF_MEASURES = 160;

function vectorAt(numbers: Float64Array, at: number): Vector3 {
  return [numbers[at] ?? NaN, numbers[at + 1] ?? NaN, numbers[at + 2] ?? NaN];
}
