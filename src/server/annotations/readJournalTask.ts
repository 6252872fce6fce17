import { defineTask } from '../workers/task.ts';
import type { JournalRecord } from './journalRecord.ts';

export type ReadJournalInput = { readonly path: string };

/** The latest record of each file. Undefined if the file is not a journal of this version. */
export type ReadJournalResult = { readonly records: readonly JournalRecord[] } | undefined;

export const readJournalTask = defineTask<ReadJournalInput, ReadJournalResult>('readRoiJournal');
