import type { Annotations } from '../server/annotations/annotations.ts';
import type { Terminal } from './terminal.ts';

/** Reports the result of the annotation import on stderr. Silent if there was no CSV, or if the server ended first. */
export async function reportImport({ imported }: Annotations, terminal: Terminal): Promise<void> {
  const outcome = await imported;
  if (outcome.state === 'failed') {
    terminal.error(`no annotations were imported: ${outcome.message}`);
  }
  if (outcome.state === 'done') {
    const files = plural(outcome.annotations.fileIndices.length, 'file');
    const unmatched =
      outcome.unmatchedRows === 0 ? '' : `; no open file matches ${plural(outcome.unmatchedRows, 'row')}`;
    terminal.info(`imported annotations of ${files}${unmatched}`);
  }
}

function plural(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
