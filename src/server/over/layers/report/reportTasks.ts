import { defineTask } from '../../../machine/workers/task.ts';
import { READ_REGIONS_COST, type ReadRegionsTask } from '../graphics/regionTasks.ts';

export const readReportTask: ReadRegionsTask = defineTask('report.read', READ_REGIONS_COST);
