import { closeSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { parseFilters } from '../shared/fileFilter.ts';
import { findColumn } from '../server/images/catalog/indexColumns.ts';
import { parseWhereOfFiles } from '../server/images/catalog/whereOfFiles.ts';
import type { TableFormat } from '../server/images/tables/writeTableFile.ts';
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

/** Runs `negato index` and returns the exit code. Throws UsageError. */
export async function writeIndex(given: IndexArguments, terminal: Terminal): Promise<0 | 1> {
  const { paths, out, format, level, where, columns, shard, recursive } = given;
  const parsed = parseFilters(given.filters);
  if (!parsed.ok) throw new UsageError(parsed.message);
  for (const name of columns ?? []) requireColumn(name);
  const condition = where === undefined ? undefined : parseWhereOfFiles(where);
  if (condition?.ok === false) throw new UsageError(`--where: ${printable(condition.message)}`);
  const missing: string[] = [];
  for (const path of paths) if (!(await inputExists(path))) missing.push(path);
  for (const path of missing) terminal.error(`${printable(path)} does not exist`);
  // A table without the files of a path would be taken for all of them.
  if (missing.length > 0) return 1;
  if (out !== undefined && !mayReplace(out, format)) {
    terminal.error(`${printable(out)} exists and is no table of this command; it is not replaced`);
    return 1;
  }
  const name = out === undefined ? 'standard output' : printable(out);
  const part = out === undefined ? undefined : `${out}.${process.pid}.part`;
  const begunMs = performance.now();
  const access = openRemoteAccess({
    ...given.remote,
    inputs: paths,
    cacheBytes: REMOTE_BYTES,
    onTrouble: (message) => terminal.warn(printable(message)),
  });
  try {
    const input = { inputs: paths, recursive, filters: parsed.filters, shard };
    const createdBy = `negato ${buildIdentity().version}`;
    const found = await runThread({ path: part, format, level, columns, where, input, createdBy }, access?.connect);
    if (out !== undefined && part !== undefined) renameSync(part, out);
    // What programs read is on standard output.
    const say = (line: string) => (out === undefined ? terminal.info(line) : terminal.say(line));
    report(found, { name, seconds: (performance.now() - begunMs) / 1000, say });
    return 0;
  } catch (error) {
    if (part !== undefined) rmSync(part, { force: true });
    if (!(error instanceof IndexFailure || (error instanceof Error && 'syscall' in error))) throw error;
    terminal.error(`${name} cannot be written: ${printable(error.message)}`);
    return 1;
  } finally {
    await access?.close();
  }
}

/** For what is read ahead of the thread: the second ranges of long headers. */
const REMOTE_BYTES = 16 * 2 ** 20;

function requireColumn(name: string): void {
  const found = findColumn(name);
  if (!found.ok) throw new UsageError(`--columns: ${printable(name)} ${printable(found.message)}`);
}

/** How a table of this command begins. */
const BEGINNINGS: Readonly<Record<TableFormat, readonly string[]>> = {
  parquet: ['PAR1'],
  csv: ['path,', 'StudyInstanceUID,'],
  jsonl: ['{"path":', '{"StudyInstanceUID":'],
};
const MOST_BEGINNING = 32;

function mayReplace(path: string, format: TableFormat): boolean {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return true;
  }
  try {
    const bytes = Buffer.alloc(MOST_BEGINNING);
    const text = bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0));
    return BEGINNINGS[format].some((beginning) => text.startsWith(beginning));
  } finally {
    closeSync(file);
  }
}

/** The thread may end because of a harmful file; the command then says so. */
function runThread(input: IndexTableInput, connect: RemoteAccess['connect'] | undefined): Promise<IndexProgress> {
  // Rows of series and studies are written when all files are known.
  const maxOldGenerationSizeMb = input.level === 'file' ? 192 : 2_048;
  const thread = startConnected(connect)('index.worker', { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: 32 });
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
  { name, seconds, say }: { readonly name: string; readonly seconds: number; readonly say: (line: string) => void },
): void {
  const skippedCount = [...skipped.values()].reduce((sum, count) => sum + count, 0);
  const summary = scanSummary({ files, skipped: skippedCount, filtered, byReason: skipped });
  const others = attachments === 0 ? '' : `; ${attachments} files of model output are not in the index`;
  say(`${summary}${others}`);
  say(`${name}: ${seconds.toFixed(1)} s, ${Math.round(files / Math.max(seconds, 0.001))} files per second`);
}
