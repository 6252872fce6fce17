import type { Rgb } from '../../../../shared/cielab.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { MOST_LAYER_SPACES } from '../layerProvider.ts';

/** Contour Geometric Type, PS3.3 C.8.8.6.1. */
export const CONTOUR_TYPES = ['POINT', 'OPEN_PLANAR', 'OPEN_NONPLANAR', 'CLOSED_PLANAR', 'CLOSEDPLANAR_XOR'] as const;
export type ContourType = (typeof CONTOUR_TYPES)[number];
const [POINT, , , CLOSED, XOR] = CONTOUR_TYPES.map((_, code) => code);

export function isPoint(type: number): boolean {
  return type === POINT;
}

export function isClosed(type: number): boolean {
  return type === CLOSED || type === XOR;
}

/** Nested contours of this type are holes by definition; those of CLOSED_PLANAR are holes only by custom. */
export function isXor(type: number): boolean {
  return type === XOR;
}

/** The content of a structure set. */
export type StructureSetRecord = {
  readonly rois: readonly StructureSetRoi[];
  readonly contours: ContourColumns;
  /** Contours without a ROI, without usable points, or of an unknown type, by reason. */
  readonly leftOut: readonly LeftOut[];
  /** Reading stopped before the end of the object. */
  readonly isCut: boolean;
};

export type StructureSetRoi = {
  /** ROI Number. */
  readonly number: number;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly interpretedType: string | undefined;
  /** ROI Display Color; undefined if not declared. */
  readonly color: Rgb | undefined;
  readonly frameOfReferenceUid: string | undefined;
  readonly contourCount: number;
  readonly types: readonly ContourType[];
  /** Distance of its planes; undefined with fewer than two. */
  readonly spacingMm: number | undefined;
  readonly volumeMm3: number | undefined;
  /** Whether CLOSED_PLANAR contours lie inside others of the same plane. */
  readonly isNested: boolean;
  /** Greatest distance of a point from the plane of its contour, among contours that should be planar. */
  readonly deviationMm: number;
};

/** The frames of reference of ROIs. The contours in others, beyond the first ones, are left out. */
export function listSetSpaces(rois: readonly Pick<StructureSetRoi, 'frameOfReferenceUid'>[]): string[] {
  return [...new Set(rois.flatMap(({ frameOfReferenceUid }) => frameOfReferenceUid ?? []))].slice(0, MOST_LAYER_SPACES);
}

export type LeftOut = { readonly roi: number | undefined; readonly reason: string; readonly count: number };

/** All contours as columns in shared memory, so that tasks get them without a copy. */
export type ContourColumns = {
  readonly length: number;
  /** x, y, z of all points in millimetres (LPS). */
  readonly points: Float32Array;
  /** First point of each contour, followed by the end of the last one. */
  readonly starts: Uint32Array;
  /** Index into the list of ROIs. */
  readonly roiOf: Uint32Array;
  /** Index into `CONTOUR_TYPES`. */
  readonly types: Uint8Array;
  /**
   * Of each contour: mean of its points (3), radius of the sphere around it, unit normal of its plane (3), and the
   * greatest distance of a point from the plane.
   */
  readonly shapes: Float64Array;
  /** Of each contour: how far from its plane it is shown, half the distance to the next contours of its ROI. */
  readonly reaches: Float64Array;
  /**
   * Of each contour: the axis of its slab (3), and where the slab begins and ends along it. The axis is the same for all
   * parallel contours of a ROI, and slabs that touch have exactly the same end. Begin and end are equal without a slab.
   */
  readonly slabs: Float64Array;
  /** Of each contour: how many others of its ROI and plane are around it, up to 255. */
  readonly depths: Uint8Array;
};

export const SHAPE_NUMBERS = 8;
export const SLAB_NUMBERS = 5;

/** A copy of a column in shared memory. */
export function share<Column extends Float32Array | Uint32Array | Uint8Array>(
  Kind: { new (buffer: SharedArrayBuffer): Column; readonly BYTES_PER_ELEMENT: number },
  values: ArrayLike<number>,
): Column {
  const column = new Kind(new SharedArrayBuffer(Kind.BYTES_PER_ELEMENT * values.length));
  column.set(values);
  return column;
}

/** The refusal of a structure set that the memory for structure sets cannot hold. */
export function tooLarge(mostBytes: number): ViewerError {
  const mb = (mostBytes / 1e6).toFixed(mostBytes < 1e7 ? 1 : 0);
  return new ViewerError('layer_too_large', `the contours need more than the ${mb} MB that --memory leaves for them`);
}

export function bytesOfStructureSet({ contours, rois }: StructureSetRecord): number {
  return bytesOfContours(contours) + rois.length * 1024;
}

export function bytesOfContours(contours: ContourColumns): number {
  const { points, starts, roiOf, types, shapes, reaches, slabs, depths } = contours;
  const columns = [points, starts, roiOf, types, shapes, reaches, slabs, depths];
  return columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
