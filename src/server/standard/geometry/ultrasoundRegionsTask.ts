import { readingTask } from '../dicom/readCost.ts';
import type { ScaledRegion } from '../../../shared/pixelScale.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';

/** The parts of an ultrasound image and their scales. */
export const readUltrasoundRegionsTask = readingTask<KnownSource, readonly ScaledRegion[]>(
  'geometry.readUltrasoundRegions',
  20_000,
);
