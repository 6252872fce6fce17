import type { KnownSource } from '../../origins/origins.ts';
import { defineTask } from '../../workers/task.ts';

/** What an RT Plan prescribes. */
export type PlanRecord = {
  readonly label: string | undefined;
  /** Of each target, in Gray. */
  readonly prescriptions: readonly { readonly doseGy: number; readonly description: string | undefined }[];
  /** Number of Fractions Planned; undefined unless there is one group of fractions. */
  readonly fractions: number | undefined;
};

export const readPrescriptionTask = defineTask<KnownSource, PlanRecord>('fields.readPrescription');
