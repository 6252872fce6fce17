import { defineTask } from '../../../machine/workers/task.ts';
import { READ_REGIONS_COST, type ReadRegionsTask } from '../graphics/regionTasks.ts';

export const readSpectroscopyTask: ReadRegionsTask = defineTask('spectroscopy.read', READ_REGIONS_COST);
