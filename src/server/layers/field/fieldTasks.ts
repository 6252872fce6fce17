import type { FrameDamage } from '../../../shared/frameDamage.ts';
import type { ImagePlane } from '../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../shared/planeGrid.ts';
import type { KnownSource } from '../../origins/origins.ts';
import type { RawPlane, RawPlaneInput } from '../../volumes/volumeTasks.ts';
import { defineTask } from '../../workers/task.ts';
import type { BridgeStep } from '../registrationTasks.ts';

/** What an RT Plan prescribes. */
export type PlanRecord = {
  readonly label: string | undefined;
  /** Of each target, in Gray. */
  readonly prescriptions: readonly { readonly doseGy: number; readonly description: string | undefined }[];
  /** Number of Fractions Planned; undefined unless there is one group of fractions. */
  readonly fractions: number | undefined;
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
export const tileRangeTask = defineTask<TileRangeInput, readonly [number, number] | undefined>('fields.tileRange');
export const sampleTilesTask = defineTask<SampleTilesInput, SampledTiles>('fields.sampleTiles');
export const bentPlaneTask = defineTask<BentPlaneInput, RawPlane>('fields.bentPlane');
export const readPrescriptionTask = defineTask<KnownSource, PlanRecord>('fields.readPrescription');
