import { bytesOfContours } from './structureSetRecord.ts';
import type { WayCost } from '../registrationTasks.ts';
import { MIB } from '../../../machine/system/mib.ts';
import { type CostFactors, readBytesOf } from '../../../standard/dicom/readCost.ts';
import type { ImagePlane } from '../../../../shared/geometry.ts';
import { defineTask } from '../../../machine/workers/task.ts';
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

export type CoveredByAreas = CoveredPlanes & {
  /** Of each plane: the area of its largest contour, and a little more for the others. */
  readonly areas: Float64Array;
};

/** The planes that contours lie in. */
export type CoveredByContours = CoveredByAreas & {
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

export const readStructureSetTask = defineTask<ReadSpatialInput, StructureSetRecord, CostFactors>('structureSet.read', {
  timeoutMs: 60_000,
  // The points in the file are read in pieces; they are kept, measured and sent in 12 bytes each.
  mostBytes: (_, file) => Math.max(readBytesOf(file), 4 * MIB + 6 * file.fileBytes),
});
export const moveContoursTask = defineTask<MoveContoursInput, MovedContours, WayCost>('structureSet.move', {
  timeoutMs: 60_000,
  mostBytes: ({ contours }, { wayBytes }) => 4 * MIB + 4 * bytesOfContours(contours) + wayBytes,
});
export const coverPlanesTask = defineTask<CoverInput, CoveredByAreas>('structureSet.cover', {
  timeoutMs: 60_000,
  mostBytes: ({ contours, planes, roiCount, seriesCount }) =>
    2 * MIB + 3 * planes.byteLength + 8 * roiCount * seriesCount + 8 * contours.length,
});
export const packContoursTask = defineTask<PackContoursInput, Uint8Array<ArrayBuffer>>('structureSet.pack', {
  timeoutMs: 20_000,
  mostBytes: ({ sets }) => 2 * MIB + 3 * sets.reduce((sum, { contours }) => sum + contours.points.byteLength, 0),
});
