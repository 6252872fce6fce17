import type { FileIdentity } from '../dicom/byteSource.ts';
import { defineTask } from '../workers/task.ts';
import type { PixelInfo } from './buildPixelInfo.ts';

export type InfoInput = { readonly path: string; readonly identity: FileIdentity };

export const readInfoTask = defineTask<InfoInput, PixelInfo>('catalog.readInfo');
