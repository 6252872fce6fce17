import { defineTask } from '../server/workers/task.ts';

/** The study is written in parts that need nothing from each other, the longest first. */
export const DEMO_PARTS = ['ct', 'slide', 'mammogram', 'mr', 'ultrasound'] as const;
export type DemoPart = (typeof DEMO_PARTS)[number];

export const writeDemoTask = defineTask<{ readonly folder: string; readonly part: DemoPart }, void>('writeDemo');
