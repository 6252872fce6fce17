import { buildHead } from './buildSummary.ts';
import { describeSequences } from './describeSequences.ts';
import type { DocumentDraft, DocumentSource } from './documentKind.ts';

/** A summary whose tables include the sequences in sequences. `skip` are sequences that the caller shows better. */
export function buildDeepSummary(source: DocumentSource, skip?: ReadonlySet<number>): DocumentDraft {
  return { ...buildHead(source), tables: describeSequences(source.dataSet, skip) };
}
