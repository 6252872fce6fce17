import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { parseFilters } from '../server/catalog/filter.ts';
import { findIndexTag, type IndexTag, listIndexColumns, USUAL_TAGS } from '../server/catalog/indexColumns.ts';
import { type IndexedColumn, indexFiles, type IndexProgress } from '../server/catalog/indexFiles.ts';
import { buildIdentity } from '../server/http/buildIdentity.ts';
import { inputExists } from '../server/origins/inputExists.ts';
import type { IndexArguments } from './indexArguments.ts';
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
  try {
    const found = writeTable(part, { inputs: paths, recursive, filters: parsed.filters, tags, shard });
    renameSync(part, out);
    report(found, { out, seconds: (performance.now() - begunMs) / 1000, terminal });
    return 0;
  } catch (error) {
    rmSync(part, { force: true });
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    terminal.error(`${printable(out)} cannot be written: ${printable(error.message)}`);
    return 1;
  }
}

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

function writeTable(path: string, input: Parameters<typeof indexFiles>[0]): IndexProgress {
  // Never through a link that another user has put there.
  const file = openSync(path, 'wx', 0o600);
  try {
    const bytes = new ByteWriter();
    const flush = () => {
      for (let rest = bytes.getBytes(); rest.length > 0;) rest = rest.subarray(writeSync(file, rest));
      bytes.index = 0;
    };
    const writer = new ParquetWriter({
      writer: Object.assign(bytes, { flush }),
      schema: toSchema(listIndexColumns(input.tags)),
      createdBy: `negato ${buildIdentity().version}`,
    });
    const groups = indexFiles(input);
    for (;;) {
      const step = groups.next();
      if (step.done === true) {
        writer.kvMetadata = [{ key: 'negato', value: JSON.stringify(describe(step.value, input)) }];
        // Without pages that other tools could read, it returns nothing to wait for.
        void writer.finish();
        flush();
        return step.value;
      }
      const columnData = step.value.map(({ name, values }) => ({ name, data: values }));
      void writer.write({ columnData, rowGroupSize: Math.max(1, step.value[0]?.values.length ?? 1) });
    }
  } finally {
    closeSync(file);
  }
}

function toSchema(columns: readonly Pick<IndexedColumn, 'name' | 'type'>[]) {
  const leaves = columns.map(({ name, type }) => {
    const optional = { name, repetition_type: 'OPTIONAL' as const };
    if (type !== 'STRING') return { ...optional, type };
    return { ...optional, type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const };
  });
  return [{ name: 'root', num_children: leaves.length }, ...leaves];
}

/** What the table does not show: the part that it has, and the files that have no row. */
function describe({ files, filtered, attachments, skipped }: IndexProgress, { shard }: { readonly shard: object }) {
  return { version: 1, shard, files, filtered, attachments, skipped: Object.fromEntries(skipped) };
}

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
