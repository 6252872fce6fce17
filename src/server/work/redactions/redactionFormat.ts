import { ROI_FORMAT, type RoiRecord } from '../annotations/roiFormat.ts';
import type { JournalFormat } from '../journal/journalFile.ts';

/** Redactions have the form of ROIs. */
export const REDACTION_FORMAT: JournalFormat<RoiRecord> = {
  ...ROI_FORMAT,
  name: 'redactions',
  header: 'negato redaction journal 1\n',
};
