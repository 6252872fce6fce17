import { closeSync, fsyncSync, openSync, readSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseFilters } from '../shared/fileFilter.ts';
import { findColumn } from '../server/images/catalog/indexColumns.ts';
import { parseWhereOfFiles } from '../server/images/catalog/whereOfFiles.ts';
import type { TableFormat } from '../server/images/tables/writeTableFile.ts';
import type { IndexProgress } from '../server/images/catalog/indexFiles.ts';
import { buildIdentity } from '../server/doors/http/buildIdentity.ts';
import { inputExists } from '../server/bytes/origins/inputExists.ts';
import { openRemoteAccess, type RemoteAccess } from '../server/bytes/origins/remote/remoteAccess.ts';
import { startConnected } from '../server/machine/workers/startThread.ts';
import type { ChosenBy } from './aboutIndex.ts';
import type { IndexArguments, MergeArguments, UpdateArguments, WriteArguments } from './indexArguments.ts';
import type { IndexAnswer, IndexWork } from './indexWork.ts';
import { printable } from './printable.ts';
import { createReadWatch } from './readWatch.ts';
import { scanSummary } from './startupLines.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usageError.ts';

/** Runs `negato index` and returns the exit code. Throws UsageError. */
export async function writeIndex(given: IndexArguments, terminal: Terminal): Promise<0 | 1> {
  if (given.kind === 'merge') return mergeInto(given, terminal);
  return given.kind === 'update' ? updateInPlace(given, terminal) : writeTable(given, terminal);
}

async function writeTable(given: WriteArguments, terminal: Terminal): Promise<0 | 1> {
  const { paths, out, format, level, where, columns, shard, recursive } = given;
  const parsed = parseFilters(given.filters);
  if (!parsed.ok) throw new UsageError(parsed.message);
  for (const name of columns ?? []) requireColumn(name);
  const condition = where === undefined ? undefined : parseWhereOfFiles(where);
  if (condition?.ok === false) throw new UsageError(`--where: ${printable(condition.message)}`);
  if (!(await allExist(paths, terminal))) return 1;
  if (out !== undefined && !mayReplace(out, format)) return refuseToReplace(out, terminal);
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
    const chosen = describeChoice(given);
    const table = { path: part, format, level, columns, where, input, chosen, createdBy: createdBy() };
    const answer = await runThread({ kind: 'write', input: table }, access?.connect);
    if (answer.kind !== 'write') throw new Error('another answer was expected');
    if (out !== undefined && part !== undefined) replaceBy(part, out);
    // What programs read is on standard output.
    const say = (line: string) => (out === undefined ? terminal.info(line) : terminal.say(line));
    report(answer.outcome, { name, seconds: (performance.now() - begunMs) / 1000, say });
    return 0;
  } catch (error) {
    return explainFailure(error, { part, name, terminal });
  } finally {
    await access?.close();
  }
}

async function mergeInto({ tables, out }: MergeArguments, terminal: Terminal): Promise<0 | 1> {
  if (!(await allExist(tables, terminal))) return 1;
  if (!mayReplace(out, 'parquet')) return refuseToReplace(out, terminal);
  const name = printable(out);
  const part = `${out}.${process.pid}.part`;
  try {
    const input = { tables: tables.map((path) => realpathSync(path)), path: part, createdBy: createdBy() };
    const answer = await runThread({ kind: 'merge', input }, undefined);
    if (answer.kind !== 'merge') throw new Error('another answer was expected');
    replaceBy(part, out);
    const { rows, duplicates } = answer.outcome;
    const others = duplicates === 0 ? '' : `; ${duplicates} older rows of the same paths were left out`;
    terminal.say(`${name}: ${rows} files of ${tables.length} indexes${others}`);
    return 0;
  } catch (error) {
    return explainFailure(error, { part, name, terminal });
  }
}

async function updateInPlace({ paths, table, shard }: UpdateArguments, terminal: Terminal): Promise<0 | 1> {
  if (!(await allExist([...paths, table], terminal))) return 1;
  // A link to the table stays one.
  const out = realpathSync(table);
  if (!mayReplace(out, 'parquet')) return refuseToReplace(out, terminal);
  const name = printable(table);
  const part = `${out}.${process.pid}.part`;
  const spare = `${out}.${process.pid}.new.part`;
  try {
    const input = { table: out, path: part, spare, inputs: paths, shard };
    const answer = await runThread({ kind: 'update', input: { ...input, createdBy: createdBy() } }, undefined);
    if (answer.kind !== 'update') throw new Error('another answer was expected');
    const { kept, notLookedFor, added, changed, gone, isSame, found } = answer.outcome;
    if (!isSame) replaceBy(part, out);
    const elsewhere = notLookedFor === 0 ? '' : ` (${notLookedFor} of them were not looked for)`;
    terminal.say(`${name}: ${added} files new, ${changed} changed, ${gone} gone, ${kept} as they were${elsewhere}`);
    if (found.skipped.size > 0) terminal.say(`of those that were read: ${summaryOf(found)}`);
    return 0;
  } catch (error) {
    return explainFailure(error, { part, name, terminal });
  } finally {
    // The thread removes it, unless it has ended before.
    rmSync(spare, { force: true });
  }
}

function createdBy(): string {
  return `negato ${buildIdentity().version}`;
}

/** A table without the files of a path would be taken for all of them. */
async function allExist(paths: readonly string[], terminal: Terminal): Promise<boolean> {
  const missing: string[] = [];
  for (const path of paths) if (!(await inputExists(path))) missing.push(path);
  for (const path of missing) terminal.error(`${printable(path)} does not exist`);
  return missing.length === 0;
}

function refuseToReplace(out: string, terminal: Terminal): 1 {
  terminal.error(`${printable(out)} exists and is no table of this command; it is not replaced`);
  return 1;
}

/** The table that was there before is there until this one is on the disk. */
function replaceBy(part: string, out: string): void {
  renameSync(part, out);
  try {
    const folder = openSync(dirname(out), 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Not every system can do this. Then either of the two tables is there after a loss of power.
  }
}

function explainFailure(
  error: unknown,
  { part, name, terminal }: { readonly part: string | undefined; readonly name: string; readonly terminal: Terminal },
): 1 {
  if (part !== undefined) rmSync(part, { force: true });
  if (!(error instanceof IndexFailure || (error instanceof Error && 'syscall' in error))) throw error;
  terminal.error(`${name} cannot be written: ${printable(error.message)}`);
  return 1;
}

/** Undefined if all files are wanted. */
function describeChoice({ where, filters, recursive }: WriteArguments): ChosenBy | undefined {
  if (where === undefined && filters.length === 0 && recursive) return undefined;
  return {
    ...(where !== undefined && { where }),
    ...(filters.length > 0 && { filters }),
    ...(!recursive && { recursive: false }),
  };
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
function runThread(
  work: IndexWork,
  connect: RemoteAccess['connect'] | undefined,
): Promise<Exclude<IndexAnswer, { kind: 'problem' | 'part' }>> {
  const thread = startConnected(connect)('index.worker', {
    maxOldGenerationSizeMb: heapOf(work),
    maxYoungGenerationSizeMb: 32,
  });
  return new Promise((settle, reject) => {
    const watch = createReadWatch(MOST_PART_MS, (part) => {
      reject(new IndexFailure(`${part} cannot be read`));
      void thread.terminate();
    });
    thread.on('message', (answer: IndexAnswer) => {
      if (answer.kind === 'part') return watch.follow(answer.part);
      watch.stop();
      if (answer.kind === 'problem') reject(new IndexFailure(answer.problem));
      else settle(answer);
    });
    thread.on('error', (cause) => reject(new IndexFailure(`reading the files failed: ${String(cause)}`)));
    thread.on('exit', () => {
      watch.stop();
      reject(new IndexFailure('the thread that read the files ended'));
    });
    thread.postMessage(work);
  });
}

/** A part of 8,192 rows takes a tenth of a second. */
const MOST_PART_MS = 30_000;

function heapOf(work: IndexWork): number {
  // Descriptions of tables are in memory as a whole, and rows of all tables at the same time.
  if (work.kind !== 'write') return 1_024;
  // Rows of series and studies are written when all files are known.
  return work.input.level === 'file' ? 192 : 2_048;
}

class IndexFailure extends Error {}

function report(
  found: IndexProgress,
  { name, seconds, say }: { readonly name: string; readonly seconds: number; readonly say: (line: string) => void },
): void {
  const { files, attachments } = found;
  const others = attachments === 0 ? '' : `; ${attachments} files of model output are not in the index`;
  say(`${summaryOf(found)}${others}`);
  say(`${name}: ${seconds.toFixed(1)} s, ${Math.round(files / Math.max(seconds, 0.001))} files per second`);
}

function summaryOf({ files, filtered, skipped }: IndexProgress): string {
  const skippedCount = [...skipped.values()].reduce((sum, count) => sum + count, 0);
  return scanSummary({ files, skipped: skippedCount, filtered, byReason: skipped });
}
