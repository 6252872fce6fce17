import { PLANE_NUMBERS } from './planeColumns.ts';
import { MIB } from '../../machine/system/mib.ts';
import { readingTask } from '../../standard/dicom/readCost.ts';
import type { PositionTable } from '../../../shared/positionTable.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { PlaneColumns } from './planeColumns.ts';

/** 16 numbers, row by row: from millimetres of one frame of reference to those of another. */
export type Matrix4 = readonly number[];

/** What a registration says about one frame of reference. */
export type RegistrationItem = {
  readonly frameOfReferenceUid: string;
  /** Frame of Reference Transformation Matrix Type, such as RIGID. */
  readonly type: string | undefined;
  /** Into the frame of reference of the object; of a deformable one, what is left of it without its vectors. */
  readonly matrix: Matrix4;
  /** Number of the item in its sequence if it has a grid of vectors. */
  readonly deformableItem: number | undefined;
};

/** A Spatial Registration or Deformable Spatial Registration. */
export type RegistrationRecord = {
  /** The frame of reference that the others are registered with. */
  readonly frameOfReferenceUid: string | undefined;
  /** About other frames of reference. */
  readonly items: readonly RegistrationItem[];
  /** Why frames of reference are not registered, although the object names them. */
  readonly problems: readonly string[];
};

/** One step of the way from one frame of reference to another. */
export type BridgeStep =
  | { readonly kind: 'matrix'; readonly matrix: Matrix4 }
  | {
      readonly kind: 'deformable';
      /** The registration, whose vectors are read when they are needed. */
      readonly source: KnownSource;
      readonly item: number;
      /** Whether points go from the registered frame of reference to the source, as the vectors do. */
      readonly isForward: boolean;
    };

/** Planes of images, and the way of their points to the slices of a layer. */
export type ReachInput = {
  readonly planes: PlaneColumns;
  /** Rows and columns of each plane. */
  readonly sizes: Uint32Array;
  readonly steps: readonly BridgeStep[];
  readonly tables: readonly PositionTable[];
};

/** The memory for the registrations of a way. */
export type WayCost = { readonly wayBytes: number };

export const readRegistrationTask = readingTask<KnownSource, RegistrationRecord>('registration.read', 30_000);
/** For each plane 1 if the layer may reach it. */
export const reachPlanesTask = defineTask<ReachInput, Uint8Array<ArrayBuffer>, WayCost>('registration.reachPlanes', {
  timeoutMs: 60_000,
  mostBytes: ({ sizes }, { wayBytes }) => 4 * MIB + wayBytes + 8 * PLANE_NUMBERS * sizes.length,
});
