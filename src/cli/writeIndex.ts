import { closeSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { parseFilters } from '../shared/fileFilter.ts';
import { findIndexTag, type IndexTag, USUAL_TAGS } from '../server/images/catalog/indexColumns.ts';
import type { IndexProgress } from '../server/images/catalog/indexFiles.ts';
import { buildIdentity } from '../server/doors/http/buildIdentity.ts';
import { inputExists } from '../server/bytes/origins/inputExists.ts';
import { openRemoteAccess, type RemoteAccess } from '../server/bytes/origins/remote/remoteAccess.ts';
import { startConnected } from '../server/machine/workers/startThread.ts';
import type { IndexArguments } from './indexArguments.ts';
import type { IndexTableAnswer, IndexTableInput } from './indexTable.ts';
import { printable } from './printable.ts';
import { scanSummary } from './startupLines.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usageError.ts';

/** Every Parquet file begins with it. */
const MAGIC = 'PAR1';

/** Runs `negato index` and returns the exit code. Throws UsageError. */
export async function writeIndex(given: IndexArguments, terminal: Terminal): Promise<0 | 1> {
  const { paths, out, shard, recursive } = given;
  const parsed = parseFilters(given.filters);
  if (!parsed.ok) throw new UsageError(parsed.message);
  const tags = [...new Set([...USUAL_TAGS, ...given.tags])].map(requireTag);
  const missing: string[] = [];
  for (const path of paths) if (!(await inputExists(path))) missing.push(path);
  for (const path of missing) terminal.error(`${printable(path)} does not exist`);
  // A table without the files of a path would be taken for all of them.
  if (missing.length > 0) return 1;
  if (!mayReplace(out)) {
    terminal.error(`${printable(out)} exists and is no Parquet file; it is not replaced`);
    return 1;
  }
  const part = `${out}.${process.pid}.part`;
  const begunMs = performance.now();
  const access = openRemoteAccess({
    ...given.remote,
    inputs: paths,
    cacheBytes: REMOTE_BYTES,
    onTrouble: (message) => terminal.warn(printable(message)),
  });
  try {
    const input = { inputs: paths, recursive, filters: parsed.filters, tags, shard };
    const found = await runThread(
      { path: part, input, createdBy: `negato ${buildIdentity().version}` },
      access?.connect,
    );
    renameSync(part, out);
    report(found, { out, seconds: (performance.now() - begunMs) / 1000, terminal });
    return 0;
  } catch (error) {
    rmSync(part, { force: true });
    if (!(error instanceof IndexFailure || (error instanceof Error && 'syscall' in error))) throw error;
    terminal.error(`${printable(out)} cannot be written: ${printable(error.message)}`);
    return 1;
  } finally {
    await access?.close();
  }
}

/** For what is read ahead of the thread: the second ranges of long headers. */
const REMOTE_BYTES = 16 * 2 ** 20;

function requireTag(keyword: string): IndexTag {
  const tag = findIndexTag(keyword);
  if (tag === undefined) {
    throw new UsageError(`--tag ${printable(keyword)}: not a DICOM keyword of an element with texts or numbers`);
  }
  return tag;
}

function mayReplace(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return true;
  }
  try {
    const bytes = Buffer.alloc(MAGIC.length);
    readSync(file, bytes, 0, bytes.length, 0);
    return bytes.toString('latin1') === MAGIC;
  } finally {
    closeSync(file);
  }
}

/** The thread may end because of a harmful file; the command then says so. */
function runThread(input: IndexTableInput, connect: RemoteAccess['connect'] | undefined): Promise<IndexProgress> {
  const thread = startConnected(connect)('index.worker', { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 });
  return new Promise((settle, reject) => {
    thread.on('message', (answer: IndexTableAnswer) => {
      if ('found' in answer) settle(answer.found);
      else reject(new IndexFailure(answer.problem));
    });
    thread.on('error', (cause) => reject(new IndexFailure(`reading the files failed: ${String(cause)}`)));
    thread.on('exit', () => reject(new IndexFailure('the thread that read the files ended')));
    thread.postMessage(input);
  });
}

class IndexFailure extends Error {}

function report(
  { files, filtered, attachments, skipped }: IndexProgress,
  { out, seconds, terminal }: { readonly out: string; readonly seconds: number; readonly terminal: Terminal },
): void {
  const skippedCount = [...skipped.values()].reduce((sum, count) => sum + count, 0);
  const summary = scanSummary({ files, skipped: skippedCount, filtered, byReason: skipped });
  const others = attachments === 0 ? '' : `; ${attachments} files of model output are not in the index`;
  terminal.say(`${summary}${others}`);
  terminal.say(
    `${printable(out)}: ${seconds.toFixed(1)} s, ${Math.round(files / Math.max(seconds, 0.001))} files per second`,
  );
}
