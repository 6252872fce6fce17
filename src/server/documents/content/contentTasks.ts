import { defineTask } from '../../workers/task.ts';
import type { DocumentFile } from '../documentTasks.ts';
import type { StoredValue } from '../storedValue.ts';
import type { ContentFormat } from './sniffContent.ts';

export type FoundContent = {
  readonly value: StoredValue;
  readonly format: ContentFormat;
  /** Of a name for the file, with its dot. */
  readonly extension: string;
};

export const findContentTask = defineTask<DocumentFile, FoundContent>('documents.content');
