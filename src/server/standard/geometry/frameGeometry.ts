import {
  type ImagePlane,
  pixelToPatient,
  type PlaneOrientation,
  type PlaneSpace,
  type Vector3,
} from '../../../shared/geometry.ts';
import type { PixelMeasures } from './pixelSpacing.ts';

/**
 * The positions of the frames of one object and the sizes of their pixels. Stored as columns, because an object can
 * have 100,000 frames; values that many frames share are stored once. Built by `GeometryBuilder`.
 */
export type FrameGeometry = {
  readonly length: number;
  /** The coordinate system of the points. */
  readonly space: PlaneSpace;
  readonly frameOfReferenceUid: string | undefined;
  /** Centre of the first sample of each frame in millimetres, three coordinates per frame; NaN if unknown. */
  readonly points: Float64Array<ArrayBuffer>;
  /** Unit vectors along a row and down a column, six numbers per distinct orientation. */
  readonly orientations: Float64Array<ArrayBuffer>;
  /** Index into `orientations` for each frame; -1 for none. */
  readonly orientationOf: Int32Array<ArrayBuffer>;
  readonly measures: readonly PixelMeasures[];
  /** Index into `measures` for each frame. */
  readonly measuresOf: Int32Array<ArrayBuffer>;
  /**
   * Whether the object orders its frames in space: it has functional groups for each frame, or is a dose grid. The
   * frames of other objects, such as a cine or an NM reconstruction, are shown in stored order.
   */
  readonly placesFrames: boolean;
  /** Whether frames have positions of their own. False if all frames share one position, as in a cine. */
  readonly isSpatial: boolean;
  /** Whether the positions are those of Grid Frame Offset Vector, which lists all slices that there are. */
  readonly isDoseGrid?: boolean | undefined;
  /** Only on slides. */
  readonly tiles?: TilePlaces | undefined;
  readonly doubts: readonly GeometryDoubt[];
};

/** Where the frames of an object lie in its total pixel matrix. */
export type TilePlaces = {
  readonly totalRows: number;
  readonly totalColumns: number;
  /** Position of the first sample of the matrix on the slide. */
  readonly originMm: readonly [x: number, y: number] | undefined;
  /** Column and row of the first sample of each frame, counted from 0; -1 if unknown. */
  readonly places: Int32Array<ArrayBuffer>;
  /** The matrix in space. If it is given, it decides where frames are, and not `points`. */
  readonly matrix?: ImagePlane | undefined;
};

/** Reasons why the geometry of an object is incomplete or uncertain. */
export const GEOMETRY_DOUBTS = {
  no_position: 'the position of the frame is not given',
  mosaic: 'the image is a mosaic of slices, which lie in different places',
  bad_position: 'the position is not three numbers',
  no_orientation: 'the orientation of the frame is not given',
  bad_orientation: 'the orientation is not two perpendicular unit vectors',
  no_spacing: 'the pixel size is not given',
  detector_spacing: 'the pixel size is that at the detector, not in the patient',
  film_spacing: 'the pixel size is that on a scanned film',
  undescribed_frame: 'the object has fewer functional groups than frames',
  dose_offsets: 'Grid Frame Offset Vector begins neither with 0 nor with the height of an axial grid',
  dose_offset_count: 'Grid Frame Offset Vector has fewer values than there are frames',
  volume_space: 'the position is in the coordinates of an ultrasound volume, not of the patient',
  tile_offsets: 'the offset of the tile on the slide is not that of its row and column in the total pixel matrix',
} as const;
export type GeometryDoubtCode = keyof typeof GEOMETRY_DOUBTS;

export type GeometryDoubt = {
  readonly code: GeometryDoubtCode;
  /** Number of affected frames, and the first of them. */
  readonly frameCount: number;
  readonly firstFrame: number;
};

/** Undefined if the frame has no orientation. */
export function orientationAt({ orientations, orientationOf }: FrameGeometry, frame: number) {
  return buildOrientationAt(orientations, orientationOf[frame] ?? -1);
}

/** Each distinct orientation as an object, in the order that `orientationOf` refers to. */
export function listOrientations({ orientations }: FrameGeometry): readonly (PlaneOrientation | undefined)[] {
  return Array.from({ length: orientations.length / 6 }, (_, index) => buildOrientationAt(orientations, index));
}

function buildOrientationAt(orientations: Float64Array, index: number): PlaneOrientation | undefined {
  if (index < 0) return undefined;
  return { rowDirection: vectorAt(orientations, 6 * index), columnDirection: vectorAt(orientations, 6 * index + 3) };
}

/** Undefined if the position of the frame is unknown. */
export function pointAt({ points }: FrameGeometry, frame: number): Vector3 | undefined {
  const point = vectorAt(points, 3 * frame);
  return Number.isFinite(point[0]) ? point : undefined;
}

export function measuresAt({ measures, measuresOf }: FrameGeometry, frame: number): PixelMeasures | undefined {
  return measures[measuresOf[frame] ?? -1];
}

/**
 * The plane of a frame in space. Undefined if its position, its orientation or the size of its pixels is unknown.
 * Distances at a detector or on a film are not distances in the patient.
 */
export function planeAt(geometry: FrameGeometry, frame: number): ImagePlane | undefined {
  const inMatrix = planeInMatrix(geometry, frame);
  if (inMatrix !== undefined) return inMatrix;
  const { spacingMm, source } = measuresAt(geometry, frame) ?? {};
  if (spacingMm === undefined || source !== 'pixel_spacing') return undefined;
  const position = pointAt(geometry, frame);
  const orientation = position && orientationAt(geometry, frame);
  if (position === undefined || orientation === undefined) return undefined;
  return { position, ...orientation, rowSpacingMm: spacingMm[0], columnSpacingMm: spacingMm[1] };
}

/** Undefined unless the total pixel matrix decides where the frame is. */
function planeInMatrix({ tiles }: FrameGeometry, frame: number): ImagePlane | undefined {
  const column = tiles?.places[2 * frame] ?? -1;
  const row = tiles?.places[2 * frame + 1] ?? -1;
  if (tiles?.matrix === undefined || column < 0 || row < 0) return undefined;
  return { ...tiles.matrix, position: pixelToPatient(tiles.matrix, { row, column }) };
}

/** Approximate memory that a geometry takes. */
export function bytesOfGeometry(geometry: FrameGeometry): number {
  const { points, orientations, orientationOf, measuresOf, measures, tiles } = geometry;
  const columns = [points, orientations, orientationOf, measuresOf, ...(tiles === undefined ? [] : [tiles.places])];
  return columns.reduce((sum, { byteLength }) => sum + byteLength, measures.length * BYTES_OF_MEASURES);
}

const BYTES_OF_MEASURES = 160;

function vectorAt(numbers: Float64Array, at: number): Vector3 {
  return [numbers[at] ?? NaN, numbers[at + 1] ?? NaN, numbers[at + 2] ?? NaN];
}
