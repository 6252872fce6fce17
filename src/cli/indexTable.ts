import { closeSync, openSync, writeSync } from 'node:fs';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { listIndexColumns } from '../server/images/catalog/indexColumns.ts';
import {
  type IndexedColumn,
  indexFiles,
  type IndexInput,
  type IndexProgress,
} from '../server/images/catalog/indexFiles.ts';

/** What the thread that writes an index is told. */
export type IndexTableInput = { readonly path: string; readonly input: IndexInput; readonly createdBy: string };

/** What it answers: what was found, or why the table could not be written. */
export type IndexTableAnswer = { readonly found: IndexProgress } | { readonly problem: string };

/** Writes the table of files. It blocks its thread. */
export function writeIndexTable({ path, input, createdBy }: IndexTableInput): IndexProgress {
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
      createdBy,
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
