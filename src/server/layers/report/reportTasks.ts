import { defineTask } from '../../workers/task.ts';
import type { ReadRegionsInput } from '../graphics/regionTasks.ts';
import type { RegionRecord } from '../graphics/regionRecord.ts';

export const readReportTask = defineTask<ReadRegionsInput, RegionRecord>('report.read');
