import type { Annotations } from '../server/annotations/annotations.ts';
import type { KeptRois } from '../server/annotations/recovery.ts';
import { printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

/** Reports the ROIs that an earlier run has kept for the open files, and what was done with them. */
export async function reportKept({ recovered }: Annotations, terminal: Terminal): Promise<void> {
  const outcome = await recovered;
  if (outcome.state === 'offered') {
    const { kept } = outcome;
    terminal.say(
      `${describeKept(kept)} ${kept.rois === 1 ? 'was' : 'were'} not exported: restore or forget them in the page, or start again with --restore or --forget`,
    );
  }
  if (outcome.state === 'restored') terminal.say(`restored: ${describeKept(outcome.kept)}`);
  if (outcome.state === 'forgotten') terminal.say(`forgotten: ${describeKept(outcome.kept)}`);
  if (outcome.state === 'failed') terminal.error(`saved ROIs: ${outcome.message}`);
}

/** Reports at the end what the next start will find. */
export function reportUnexported(annotations: Annotations, terminal: Terminal): void {
  const { files, rois } = annotations.countUnexported();
  const { error, folder = '' } = annotations.journal();
  if (files === 0) return;
  const what = `edits of ${files === 1 ? '1 file' : `${files} files`} (${countRois(rois)}) are not exported`;
  if (error === undefined)
    terminal.say(
      `${what}; they are saved in ${printable(folder)} and will be offered at the next start with these files`,
    );
  else terminal.error(`${what} and are lost: they could not be saved in ${printable(folder)} (${error})`);
}

function describeKept({ rois, path, changedFiles }: KeptRois): string {
  const changed = changedFiles === 0 ? '' : ` (files changed since then: ${changedFiles})`;
  return `${countRois(rois)} of ${printable(path)}${changed}`;
}

function countRois(count: number): string {
  return `${count} ROI${count === 1 ? '' : 's'}`;
}
