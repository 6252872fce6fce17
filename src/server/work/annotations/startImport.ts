import { packTargets } from './roiTargets.ts';
import { isMasked } from '../../bytes/masking/masker.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { type AnnotatedFiles } from '../journal/annotatedFiles.ts';
import type { ImportedAnnotations } from './packedRois.ts';
import { importCsvTask } from './annotationTasks.ts';

export type ImportProgress =
  | { readonly state: 'none' | 'waiting' | 'running' | 'done' }
  | { readonly state: 'failed'; readonly message: string };

export type ImportOutcome =
  | { readonly state: 'none' }
  | { readonly state: 'done'; readonly annotations: ImportedAnnotations; readonly unmatchedRows: number }
  | { readonly state: 'failed'; readonly message: string }
  /** The server shut down before the import ended. */
  | { readonly state: 'stopped' };

export type ImportOptions = {
  readonly files: AnnotatedFiles;
  readonly tasks: TaskRunner;
  readonly csv: { readonly path: string; readonly startDirectory: string } | undefined;
  readonly signal: AbortSignal;
};

/** Imports the CSV after the scan. Nothing of it is available until all of it has been read. */
export function startImport(options: ImportOptions): {
  readonly imported: Promise<ImportOutcome>;
  readonly importState: () => ImportProgress;
} {
  let current: ImportProgress = { state: options.csv === undefined ? 'none' : 'waiting' };
  const enter = (state: ImportProgress) => {
    current = state;
  };
  const imported = Promise.race([whenAborted(options.signal), runImport(options, enter)]).then((ended) => {
    const outcome = ended.state === 'failed' && isMasked() ? MASKED_FAILURE : ended;
    if (outcome.state === 'failed') enter(outcome);
    if (outcome.state === 'done') enter({ state: 'done' });
    return outcome;
  });
  return { imported, importState: () => current };
}

/** The path and the cells of a CSV may name patients, and every message about it quotes them. */
const MASKED_FAILURE = {
  state: 'failed',
  message: 'the CSV could not be imported; negato without --mask says why',
} as const;

async function runImport(
  { files, tasks, csv, signal }: ImportOptions,
  enter: (state: ImportProgress) => void,
): Promise<ImportOutcome> {
  if (csv === undefined) return { state: 'none' };
  const { path, startDirectory } = csv;
  try {
    if ((await files.scanComplete) === 'cancelled') {
      return { state: 'failed', message: `${path}: not imported, because the scan of the files was cancelled` };
    }
    enter({ state: 'running' });
    const input = { csvPath: path, startDirectory, files: await packTargets(files.files) };
    // With prefetch priority, a thread stays free for images.
    const result = await tasks.run(importCsvTask, input, { priority: 'prefetch', signal });
    if (!result.ok) return { state: 'failed', message: result.message };
    return { state: 'done', annotations: result.annotations, unmatchedRows: result.unmatchedRows };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { state: 'failed', message: `${path}: the import failed (${reason})` };
  }
}

function whenAborted(signal: AbortSignal): Promise<ImportOutcome> {
  return new Promise((settle) => {
    signal.addEventListener('abort', () => settle({ state: 'stopped' }), { once: true });
  });
}
