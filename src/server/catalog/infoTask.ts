import type { FileIdentity } from '../dicom/byteSource.ts';
import { defineTask } from '../workers/task.ts';
import type { PixelInfo } from './buildPixelInfo.ts';

export type InfoInput = { readonly path: string; readonly identity: FileIdentity };

export type FileInfo = PixelInfo & { readonly warnings: readonly string[] };

export const readInfoTask = defineTask<InfoInput, FileInfo>('catalog.readInfo');
