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

export const bentPlaneTask = defineTask<BentPlaneInput, RawPlane>('fields.bentPlane');
export const readPrescriptionTask = defineTask<KnownSource, PlanRecord>('fields.readPrescription');
