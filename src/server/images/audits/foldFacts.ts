import { createHash } from 'node:crypto';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import { isHarmful } from '../../machine/workers/taskErrors.ts';
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
  { catalog, tasks, kept }: Pick<AuditContext, 'catalog' | 'tasks' | 'kept'>,
  { files, isKept, signal, onProgress }: AuditRun,
  folds: readonly FactFold[],
): Promise<{ readonly unread: number; readonly isWhole: boolean }> {
  let done = 0;
  let unread = 0;
  let isWhole = true;

  async function readBatch(batch: readonly DicomFile[]): Promise<readonly PackedFacts[]> {
    await catalog.whenRead(batch.map(({ index }) => index));
    const input = { files: batch.map(({ source, path }) => ({ source, path })) };
    const options = { of: batch, signal, priority: 'prefetch', isAwaited: true } as const;
    const key = isKept ? await nameStates(batch) : undefined;
    const known = key === undefined ? undefined : kept.get(key);
    if (known !== undefined) return [known];
    try {
      const facts = await waitUntilFree(signal, () => tasks.run(readFactsTask, input, options));
      if (key !== undefined && !facts.states.includes(UNREAD)) kept.set(key, facts, bytesOfFacts(facts));
      return [facts];
    } catch (error) {
      if (signal.aborted || !isHarmful(error)) throw error;
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

/** The same for the same files as long as none of them changes; undefined if one has. */
async function nameStates(batch: readonly DicomFile[]): Promise<string | undefined> {
  try {
    const states = await Promise.all(batch.map(({ source }) => stateOf(source)));
    return createHash('sha256').update(states.join('\0')).digest('hex');
  } catch (error) {
    if (error instanceof ViewerError) return undefined;
    throw error;
  }
}

/** Of a key: the object and its texts. Texts take up to two bytes for each character. */
function bytesOfFacts({ keys, values, pairs, ends, states }: PackedFacts): number {
  const texts = values.reduce((sum, value) => sum + 2 * value.length + 32, 0);
  return 256 * keys.length + texts + pairs.byteLength + ends.byteLength + states.byteLength;
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
