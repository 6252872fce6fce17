import { documentTask } from '../documentTasks.ts';
import type { StoredValue } from '../storedValue.ts';
import type { ContentFormat } from './sniffContent.ts';

export type FoundContent = {
  readonly value: StoredValue;
  readonly format: ContentFormat;
  /** Of a name for the file, with its dot. */
  readonly extension: string;
};

/** `isViewed`: anything but a PDF is refused, before its bytes are read. */
export type ContentAsked = { readonly isViewed: boolean };

export const findContentTask = documentTask<ContentAsked, FoundContent>('documents.content');
