import type { ImagePlane } from '../../../shared/geometry.ts';
import { defineTask } from '../../workers/task.ts';
import type { BridgeStep } from '../registrationTasks.ts';
import type { CoveredPlanes } from '../spatial/coverage.ts';
import type { ReadSpatialInput } from '../spatial/spatialLayers.ts';
import type { ContourColumns, StructureSetRecord } from './structureSetRecord.ts';

export type CoverInput = {
  readonly contours: ContourColumns;
  /** Which ROIs (by index) are in the frame of reference of the planes. */
  readonly rois: Uint8Array;
  readonly roiCount: number;
  /** Eleven numbers for each plane, as `planeColumns` has them. */
  readonly planes: Float64Array<ArrayBuffer>;
  /** The planes from this number on are those of slides. */
  readonly firstSlide: number;
  /** The series of each plane, as numbers from 0. */
  readonly seriesOf: Uint32Array<ArrayBuffer>;
  readonly seriesCount: number;
};

/** The planes that contours lie in. */
export type CoveredByContours = CoveredPlanes & {
  /** Of each ROI: number of contours about which the registrations say nothing; undefined without registrations. */
  readonly lost: Uint32Array | undefined;
};

export type PackContoursInput = {
  readonly layer: number;
  readonly sets: readonly ContourSet[];
  readonly plane: ImagePlane;
  /** Contours along the plane within this distance are taken to lie in it. */
  readonly flatMm: number;
  readonly rows: number;
  readonly columns: number;
};

/** Contours in the frame of reference of the plane. */
export type ContourSet = {
  readonly contours: ContourColumns;
  /** Number of each ROI by index; -1 leaves it out. */
  readonly numbers: Int32Array;
};

export type MoveContoursInput = {
  readonly contours: ContourColumns;
  /** Which ROIs (by index) are moved; the others are left out. */
  readonly rois: Uint8Array;
  readonly steps: readonly BridgeStep[];
};

export type MovedContours = {
  readonly contours: ContourColumns;
  /** Of each ROI: number of contours about which the registrations say nothing. */
  readonly lost: Uint32Array;
};

export const readStructureSetTask = defineTask<ReadSpatialInput, StructureSetRecord>('structureSet.read');
export const moveContoursTask = defineTask<MoveContoursInput, MovedContours>('structureSet.move');
export const coverPlanesTask = defineTask<CoverInput, CoveredPlanes>('structureSet.cover');
export const packContoursTask = defineTask<PackContoursInput, Uint8Array<ArrayBuffer>>('structureSet.pack');
