import { defineTask } from '../../workers/task.ts';
import type { ReadSpatialInput } from '../spatial/spatialLayers.ts';
import type { RegionRecord } from '../graphics/regionRecord.ts';

export const readReportTask = defineTask<ReadSpatialInput, RegionRecord>('report.read');
