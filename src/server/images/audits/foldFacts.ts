import { TaskQuarantined, TaskTimeout, WorkerDied } from '../../machine/workers/taskErrors.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { type AuditContext, type AuditRun, waitUntilFree, workAhead } from './auditWork.ts';
import { type FactFold, factsAt } from './factFold.ts';
import { CUT, type PackedFacts, readFactsTask, UNREAD } from './factTasks.ts';

/** Files that one task reads. */
const BATCH = 64;
/** Tasks at a time. */
const AHEAD = 2;

/** Reads the headers of the files, each once, for all folds. Returns how many could not be read, and whether a limit cut one. */
export async function foldFacts(
  { catalog, tasks }: Pick<AuditContext, 'catalog' | 'tasks'>,
  { files, signal, onProgress }: AuditRun,
  folds: readonly FactFold[],
): Promise<{ readonly unread: number; readonly isWhole: boolean }> {
  let done = 0;
  let unread = 0;
  let isWhole = true;

  async function readBatch(batch: readonly DicomFile[]): Promise<readonly PackedFacts[]> {
    await catalog.whenRead(batch.map(({ index }) => index));
    const input = { files: batch.map(({ source, path }) => ({ source, path })) };
    const options = { of: batch, signal, priority: 'prefetch', isAwaited: true } as const;
    try {
      return [await waitUntilFree(signal, () => tasks.run(readFactsTask, input, options))];
    } catch (error) {
      const isOfFile = error instanceof TaskTimeout || error instanceof WorkerDied || error instanceof TaskQuarantined;
      if (signal.aborted || !isOfFile) throw error;
      if (batch.length === 1) return [NOT_READ];
      // One of them is harmful: the others are read without it.
      const middle = batch.length >>> 1;
      return [...(await readBatch(batch.slice(0, middle))), ...(await readBatch(batch.slice(middle)))];
    }
  }

  function* fold(batch: readonly DicomFile[], parts: readonly PackedFacts[]): WorkInTurns<void> {
    let first = 0;
    for (const facts of parts) {
      for (const [at, state] of facts.states.entries()) {
        const file = batch[first + at]!;
        if (state === UNREAD) unread += 1;
        if (state === CUT) isWhole = false;
        if (state !== UNREAD) {
          const ofFile = factsAt(facts, at);
          for (const one of folds) one.take(file, ofFile);
        }
        yield;
      }
      first += facts.states.length;
    }
  }

  for await (const { item: batch, result } of workAhead(batchesOf(files), AHEAD, readBatch)) {
    await doInTurns(fold(batch, result), signal);
    done += batch.length;
    onProgress({ doing: 'headers', done, total: files.length });
  }
  return { unread, isWhole };
}

const NOT_READ: PackedFacts = {
  keys: [],
  values: [],
  pairs: new Uint32Array(0),
  ends: Uint32Array.of(0),
  states: Uint8Array.of(UNREAD),
};

function* batchesOf(files: readonly DicomFile[]): Generator<readonly DicomFile[], void> {
  for (let at = 0; at < files.length; at += BATCH) yield files.slice(at, at + BATCH);
}
