import { JOURNAL_COST } from '../journal/journalCost.ts';
import type { KeptRecords } from '../journal/journalFile.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { MarkJournalRecord } from './markFormat.ts';
import type { ParsedMark, ParseMarkInput } from './parseMark.ts';

export const parseMarkTask = defineTask<ParseMarkInput, ParsedMark>('parseMark', {
  timeoutMs: 10_000,
  // The text, the parsed values, and the packed mark.
  mostBytes: ({ body }) => 16 * body.length,
});

export const readMarkJournalTask = defineTask<{ readonly path: string }, KeptRecords<MarkJournalRecord> | undefined>(
  'readMarkJournal',
  JOURNAL_COST,
);
