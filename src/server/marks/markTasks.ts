import type { KeptRecords } from '../annotations/journalFile.ts';
import { defineTask } from '../workers/task.ts';
import type { MarkJournalRecord } from './markFormat.ts';
import type { ParsedMark, ParseMarkInput } from './parseMark.ts';

export const parseMarkTask = defineTask<ParseMarkInput, ParsedMark>('parseMark');

export const readMarkJournalTask = defineTask<{ readonly path: string }, KeptRecords<MarkJournalRecord> | undefined>(
  'readMarkJournal',
);
