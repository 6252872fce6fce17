import { documentTask } from '../documentTasks.ts';

/** `beam` and `channel` are positions in their lists. */
export type PlanInput = { readonly beam?: number | undefined; readonly channel?: number | undefined };

/** The JSON of the answer but for the index of the file, an object that is left open. */
export const readPlanTask = documentTask<PlanInput, string>('documents.plan');
