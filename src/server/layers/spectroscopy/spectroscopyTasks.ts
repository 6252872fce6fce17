import { defineTask } from '../../workers/task.ts';
import type { RegionRecord } from '../graphics/regionRecord.ts';
import type { ReadRegionsInput } from '../graphics/regionTasks.ts';

export const readSpectroscopyTask = defineTask<ReadRegionsInput, RegionRecord>('spectroscopy.read');
