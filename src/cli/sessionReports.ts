import type { Annotations } from '../server/work/annotations/annotations.ts';
import type { UnreadJournal } from '../server/work/journal/findJournals.ts';
import type { KeptEdits } from '../server/work/journal/recovery.ts';
import type { MarkStore } from '../server/work/marks/marks.ts';
import type { Scores } from '../server/work/scores/scores.ts';
import type { Catalog } from '../server/images/catalog/catalog.ts';
import { printable } from './printable.ts';
import { progressText, scanSummary } from './startupLines.ts';
import type { Terminal } from './terminal.ts';

const REDRAW_MS = 100;
const MISSING_INPUTS_NAMED = 20;

/** Shows the progress and the result of the scan. Resolves when it is over; a cancelled scan has no summary. */
export async function reportScan(
  catalog: Catalog,
  { terminal, startupJson }: { terminal: Terminal; startupJson: boolean },
): Promise<void> {
  let drawnAt = -Infinity;
  const unsubscribe = catalog.subscribe(({ scanned, skipped, filtered }) => {
    if (performance.now() - drawnAt < REDRAW_MS) return;
    drawnAt = performance.now();
    terminal.progress(progressText({ files: scanned, skipped, filtered }));
  });
  try {
    if ((await catalog.scanComplete) === 'cancelled') return;
  } finally {
    unsubscribe();
    terminal.progress(undefined);
  }
  const { scanned, gone, skipped, filtered, discovery } = catalog.snapshot({ limit: 0 });
  if (startupJson) terminal.emit({ type: 'scan_complete', file_count: scanned });
  terminal.say(scanSummary({ files: scanned - gone, skipped, filtered, byReason: catalog.skippedByReason() }));
  const missing = discovery.filter(({ reason }) => reason === 'input_path_unavailable');
  for (const { path } of missing.slice(0, MISSING_INPUTS_NAMED)) terminal.warn(`${printable(path)} does not exist`);
}

/** Reports the result of the annotation import on stderr. Silent if there was no CSV, or if the server ended first. */
export async function reportImport({ imported }: Annotations, terminal: Terminal): Promise<void> {
  const outcome = await imported;
  if (outcome.state === 'failed') terminal.error(`no annotations were imported: ${outcome.message}`);
  if (outcome.state === 'done') {
    const files = plural(outcome.annotations.fileIndices.length, 'file');
    const unmatched =
      outcome.unmatchedRows === 0 ? '' : `; no open file matches ${plural(outcome.unmatchedRows, 'row')}`;
    terminal.info(`imported annotations of ${files}${unmatched}`);
  }
}

/** Reports how much of a score file is shown, and what is not. */
export async function reportScores(scores: Pick<Scores, 'report'>, terminal: Terminal): Promise<void> {
  const report = await scores.report();
  if (report.kind === 'failed') terminal.error(`no scores are shown: ${printable(report.message)}`);
  if (report.kind !== 'read') return;
  terminal.say(`scores of ${report.shown} of ${report.series} series are columns of the table`);
  for (const problem of report.problems) terminal.warn(`scores: ${printable(problem)}`);
}

/** Reports what an earlier run has kept for the open files, and what was done with it. */
export async function reportKept(
  { recovered }: Pick<Annotations, 'recovered'>,
  what: 'ROI' | 'mark' | 'redaction',
  terminal: Terminal,
): Promise<void> {
  const outcome = await recovered;
  // Those of redactions are reported when they are found.
  if (what !== 'redaction') {
    for (const { name, reason } of outcome.unread) {
      terminal.warn(`saved ${what}s in ${printable(name)} cannot be read: ${printable(reason)}`);
    }
  }
  if (outcome.state === 'offered') {
    const { kept } = outcome;
    terminal.say(
      `${describeKept(kept, what)} ${kept.items === 1 ? 'was' : 'were'} not exported: restore or forget ${kept.items === 1 ? 'it' : 'them'} in the page, or start again with --restore or --forget`,
    );
  }
  if (outcome.state === 'restored') terminal.say(`restored: ${describeKept(outcome.kept, what)}`);
  if (outcome.state === 'forgotten') terminal.say(`forgotten: ${describeKept(outcome.kept, what)}`);
  if (outcome.state === 'failed') terminal.error(`saved ${what}s: ${outcome.message}`);
}

/** Reports which redactions cannot be read, and when all of them can be read again. */
export function reportUnread(unread: readonly UnreadJournal[], terminal: Terminal): void {
  for (const { name, reason } of unread) {
    terminal.error(
      `no pixels are shown, because redactions in ${printable(name)} cannot be read: ${printable(reason)}; the page asks what to do`,
    );
  }
  if (unread.length === 0) terminal.say('pixels are shown again: all redactions are read');
}

/** Reports at the end what the next start will find. */
export function reportUnexported(annotations: Annotations, terminal: Terminal): void {
  const { files, rois } = annotations.countUnexported();
  const { error, folder } = annotations.journal();
  if (files === 0) return;
  const what = `edits of ${plural(files, 'file')} (${plural(rois, 'ROI')}) are not exported`;
  if (error === undefined)
    terminal.say(
      `${what}; they are saved in ${nameFolder(folder)} and will be offered at the next start with these files`,
    );
  else terminal.error(`${what} and are lost: they could not be saved in ${nameFolder(folder)} (${error})`);
}

/** A masked run does not say it. */
function nameFolder(folder: string | undefined): string {
  return folder === undefined ? 'the state folder' : printable(folder);
}

export function reportUnexportedMarks(marks: MarkStore, terminal: Terminal): void {
  const count = marks.countUnexported();
  const { error, folder } = marks.journal();
  if (count === 0) return;
  const what = `${plural(count, 'mark')} ${count === 1 ? 'is' : 'are'} not exported`;
  if (error === undefined)
    terminal.say(`${what}; saved in ${nameFolder(folder)}, and offered at the next start with these files`);
  else terminal.error(`${what}, and could not be saved in ${nameFolder(folder)} (${error})`);
}

function describeKept({ items, path, changedFiles }: KeptEdits, what: string): string {
  const changed = changedFiles === 0 ? '' : ` (files changed since then: ${changedFiles})`;
  // Classes that were added before any mark had them.
  const named = what === 'mark' && items === 0 ? 'the classes of marks' : plural(items, what);
  return `${named} of ${printable(path)}${changed}`;
}

function plural(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
