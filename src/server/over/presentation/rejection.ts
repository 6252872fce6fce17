import type { Code } from '../../standard/dicom/code.ts';

/**
 * Rejected for Quality Reasons, Rejected for Patient Safety Reasons, Incorrect Modality Worklist Entry, Data Retention
 * Policy Expired: the titles of IHE rejection notes.
 */
const REJECTIONS: ReadonlySet<string> = new Set(['113001', '113037', '113038', '113039']);

/** Whether a key object selection with this title rejects its images. */
export function isRejection(title: Code | undefined): boolean {
  return title !== undefined && title.scheme === 'DCM' && REJECTIONS.has(title.value);
}
