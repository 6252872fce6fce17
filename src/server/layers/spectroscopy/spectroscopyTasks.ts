import { defineTask } from '../../workers/task.ts';
import type { RegionRecord } from '../graphics/regionRecord.ts';
import type { ReadSpatialInput } from '../spatial/spatialLayers.ts';

export const readSpectroscopyTask = defineTask<ReadSpatialInput, RegionRecord>('spectroscopy.read');
