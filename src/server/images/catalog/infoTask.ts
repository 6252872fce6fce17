import { readingTask } from '../../standard/dicom/readCost.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import type { PixelInfo } from './buildPixelInfo.ts';

export type FileInfo = PixelInfo & { readonly warnings: readonly string[] };

export const readInfoTask = readingTask<KnownSource, FileInfo>('catalog.readInfo', 10_000);
