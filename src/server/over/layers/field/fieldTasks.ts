import { MIB } from '../../../machine/system/mib.ts';
import { readingTask } from '../../../standard/dicom/readCost.ts';
import type { FrameDamage } from '../../../../shared/frameDamage.ts';
import type { ImagePlane } from '../../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import type { DecodeCost } from '../../../images/pixels/frameTasks.ts';
import { type BendCost, PLANE_COST, type RawPlane, type RawPlaneInput } from '../../../images/volumes/volumeTasks.ts';
import { defineTask } from '../../../machine/workers/task.ts';
import type { BridgeStep } from '../registrationTasks.ts';

/** What an RT Plan prescribes. */
export type PlanRecord = {
  readonly label: string | undefined;
  /** Of each target, in Gray. */
  readonly prescriptions: readonly { readonly doseGy: number; readonly description: string | undefined }[];
  /** Number of Fractions Planned; undefined unless there is one group of fractions. */
  readonly fractions: number | undefined;
  readonly beams: readonly { readonly number: number; readonly name: string }[];
};

/** A plane of an image whose points go over registrations into the volume. */
export type BentPlaneInput = RawPlaneInput & { readonly bend: readonly BridgeStep[] };

export type SampleTilesInput = {
  readonly source: KnownSource;
  readonly tiles: readonly { readonly frame: number; readonly plane: ImagePlane }[];
  readonly grid: PlaneGrid;
};

export type SampledTiles = {
  /** Modality values, row by row; NaN where no tile lies. */
  readonly samples: Float32Array<ArrayBuffer>;
  readonly damage: FrameDamage | undefined;
};

export type TileRangeInput = { readonly source: KnownSource; readonly frameCount: number };

/** The lowest and the highest value of all frames; undefined if they have none. */
export const tileRangeTask = defineTask<TileRangeInput, readonly [number, number] | undefined, DecodeCost>(
  'fields.tileRange',
  { timeoutMs: 60_000, bytes: (_, { bytes }) => bytes },
);
export const sampleTilesTask = defineTask<SampleTilesInput, SampledTiles, DecodeCost>('fields.sampleTiles', {
  timeoutMs: 60_000,
  mostBytes: ({ grid }, { bytes }) => bytes + 2 * MIB + 8 * grid.rows * grid.columns,
});
export const bentPlaneTask = defineTask<BentPlaneInput, RawPlane, BendCost>('fields.bentPlane', PLANE_COST);
export const readPrescriptionTask = readingTask<KnownSource, PlanRecord>('fields.readPrescription', 20_000);
