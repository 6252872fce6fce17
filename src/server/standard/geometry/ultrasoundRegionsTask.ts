import { type CostFactors, readingCost } from '../dicom/readCost.ts';
import type { ScaledRegion } from '../../../shared/pixelScale.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';

/** The parts of an ultrasound image and their scales. */
export const readUltrasoundRegionsTask = defineTask<KnownSource, readonly ScaledRegion[], CostFactors>(
  'geometry.readUltrasoundRegions',
  readingCost(20_000),
);
