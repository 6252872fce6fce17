import type { FileIdentity } from '../dicom/byteSource.ts';
import { defineTask } from '../workers/task.ts';

/** Where the frames of one file lie, and in which order they come where they lie in one place. Columns. */
export type FrameGeometry = {
  /** Three coordinates a frame; NaN where it has none. */
  readonly points: Float64Array<ArrayBuffer>;
  /** Each Image Orientation (Patient) once, as written. */
  readonly orientations: readonly (readonly number[])[];
  /** For each frame which of `orientations`; -1 for none. */
  readonly orientationOf: Int32Array<ArrayBuffer>;
  /** Place in the order of time and dimensions, equal for equal ones; NaN where the file declares none. */
  readonly ranks: Float64Array<ArrayBuffer>;
  /** False where all frames have one place in common, as those of a cine. */
  readonly isSpatial: boolean;
};

export type FrameGeometryInput = {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly frameCount: number;
};

export const readFrameGeometryTask = defineTask<FrameGeometryInput, FrameGeometry>('series.readFrameGeometry');
