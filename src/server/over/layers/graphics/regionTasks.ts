import { MIB } from '../../../machine/system/mib.ts';
import { type CostFactors, readBytesOf } from '../../../standard/dicom/readCost.ts';
import type { ImagePlane } from '../../../../shared/geometry.ts';
import { defineTask, type Task } from '../../../machine/workers/task.ts';
import type { BridgeStep, WayCost } from '../registrationTasks.ts';
import type { CoveredPlanes } from '../spatial/coverage.ts';
import type { ReadSpatialInput } from '../spatial/spatialLayers.ts';
import type { ImageUnder } from './drawRegions.ts';
import type { RegionColumns, RegionRecord } from './regionRecord.ts';

/** Each sort of object with regions has its own reader. */
export type ReadRegionsTask = Task<ReadSpatialInput, RegionRecord, CostFactors>;

export const READ_REGIONS_COST = {
  timeoutMs: 60_000,
  // Coordinates are read as numbers of JavaScript before they are packed.
  mostBytes: (_: unknown, file: CostFactors) => Math.max(readBytesOf(file), 4 * MIB + 12 * file.fileBytes),
};

/** Regions of one frame of reference, and how they get into that of the target. */
export type RegionSpace = { readonly space: number; readonly steps: readonly BridgeStep[] | undefined };

export type CoverRegionsInput = RegionSpace & {
  readonly shapes: RegionColumns;
  readonly partCount: number;
  /** Eleven numbers for each plane, as `planeColumns` has them. */
  readonly planes: Float64Array<ArrayBuffer>;
  /** The series of each plane, as numbers from 0. */
  readonly seriesOf: Uint32Array<ArrayBuffer>;
  readonly seriesCount: number;
};

export type CoveredByRegions = CoveredPlanes & {
  /** How far below and above each plane regions belong to it, in millimetres: half way to the next planes. */
  readonly below: Float64Array<ArrayBuffer>;
  readonly above: Float64Array<ArrayBuffer>;
};

/** An image of a record, its plane, and how its frame of reference gets into that of the target. */
export type LiftedImage = {
  readonly image: number;
  readonly plane: ImagePlane;
  readonly steps: readonly BridgeStep[] | undefined;
};

export type PackRegionsInput = {
  readonly layer: number;
  readonly shapes: RegionColumns;
  /** Number of each part, -1 to leave it out, and what is written beside it. */
  readonly numbers: Int32Array<ArrayBuffer>;
  readonly texts: readonly (string | undefined)[];
  /** The images whose regions are drawn, and where their pixels are in the target. */
  readonly images: readonly (ImageUnder & { readonly image: number })[];
  /** The images whose regions are drawn where they are in space. */
  readonly lifted: readonly LiftedImage[];
  readonly spaces: readonly RegionSpace[];
  /** Needed for spaces and lifted images. */
  readonly plane: ImagePlane | undefined;
  readonly belowMm: number;
  readonly aboveMm: number;
  readonly rows: number;
  readonly columns: number;
  /** Size of a pixel of images, for uncertainties in millimetres. */
  readonly pixelMm: number | undefined;
};

export const coverRegionsTask = defineTask<CoverRegionsInput, CoveredByRegions, WayCost>('regions.cover', {
  timeoutMs: 60_000,
  mostBytes: ({ planes, partCount, seriesCount, shapes }, { wayBytes }) =>
    2 * MIB + 4 * planes.byteLength + 8 * partCount * seriesCount + 2 * shapes.points.byteLength + wayBytes,
});
export const packRegionsTask = defineTask<PackRegionsInput, Uint8Array<ArrayBuffer>, WayCost>('regions.pack', {
  timeoutMs: 20_000,
  mostBytes: ({ shapes }, { wayBytes }) => 2 * MIB + 8 * shapes.points.byteLength + wayBytes,
});
