import { type CostFactors, readingCost } from '../../standard/dicom/readCost.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { PixelInfo } from './buildPixelInfo.ts';

export type FileInfo = PixelInfo & { readonly warnings: readonly string[] };

export const readInfoTask = defineTask<KnownSource, FileInfo, CostFactors>('catalog.readInfo', readingCost(10_000));
