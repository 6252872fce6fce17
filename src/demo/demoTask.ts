import { defineTask } from '../server/machine/workers/task.ts';

/**
 * The study is written in independent parts, the longest first. All cross-sections of the body are one part, because a
 * second thread would have to compile the patient model again, which takes longer than using it.
 */
export const DEMO_PARTS = ['crossSections', 'slide', 'mammogram', 'ultrasound'] as const;
export type DemoPart = (typeof DEMO_PARTS)[number];

/** Channel on which the threads report each file that they have written. */
export const WRITTEN_CHANNEL = 'demo-written';

export const writeDemoTask = defineTask<{ readonly folder: string; readonly part: DemoPart }, void>('writeDemo', {
  // Far more than the slowest machine needs; it only prevents a hung disk from blocking the start forever.
  timeoutMs: 120_000,
  bytes: 'reserved',
});
