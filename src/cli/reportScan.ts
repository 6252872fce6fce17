import type { Catalog } from '../server/catalog/catalog.ts';
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
  const { scanned, skipped, filtered, discovery } = catalog.snapshot({ limit: 0 });
  if (startupJson) terminal.emit({ type: 'scan_complete', file_count: scanned });
  terminal.say(scanSummary({ files: scanned, skipped, filtered, byReason: catalog.skippedByReason() }));
  const missing = discovery.filter(({ reason }) => reason === 'input_path_unavailable');
  for (const { path } of missing.slice(0, MISSING_INPUTS_NAMED)) terminal.warn(`${printable(path)} does not exist`);
}
