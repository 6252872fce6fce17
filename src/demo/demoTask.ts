import { defineTask } from '../server/workers/task.ts';

/**
 * The study is written in parts that need nothing from each other, the longest first. All cross-sections of the body are
 * one part: a second thread would have to compile the model of the patient once more, which takes longer than to use it.
 */
export const DEMO_PARTS = ['crossSections', 'slide', 'mammogram', 'ultrasound'] as const;
export type DemoPart = (typeof DEMO_PARTS)[number];

/** Where the threads tell which file they have written. */
export const WRITTEN_CHANNEL = 'demo-written';

export const writeDemoTask = defineTask<{ readonly folder: string; readonly part: DemoPart }, void>('writeDemo');
