import type { TagNode } from '../../shared/contract/tags.ts';
import { defineTask } from '../workers/task.ts';
import type { FileIdentity } from './byteSource.ts';

export type ReadTagsInput = {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly depth: number;
  readonly items: number;
};

export type SelectTagInput = {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly tagPath: string;
  readonly offset: number;
  readonly limit: number;
};

export const readTagsTask = defineTask<ReadTagsInput, readonly TagNode[]>('dicom.readTags');
export const selectTagTask = defineTask<SelectTagInput, TagNode>('dicom.selectTag');
