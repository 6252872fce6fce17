import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { type BasicType, parquetWriteBuffer } from 'hyparquet-writer';
import { onTestFinished } from 'vitest';
import { writeIndexTable } from '../../src/cli/indexTable.ts';
import type { CatalogOptions } from '../../src/server/images/catalog/catalog.ts';
import { recordColumns } from '../../src/server/images/catalog/indexColumns.ts';
import { openIndexes } from '../../src/server/images/catalog/openIndex.ts';
import { describeIndex } from '../../src/server/images/catalog/readIndex.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import { localFile } from '../../src/server/bytes/origins/origins.ts';
import { borrowThreads } from './borrowThreads.ts';
import { createTempFolder } from './tempFolder.ts';

/** A row of an index as it is stored. */
export type StoredRow = Record<string, unknown>;

/** The rows that `negato index` writes for a folder. */
export async function indexFolder(folder: string): Promise<StoredRow[]> {
  const path = join(createTempFolder(), 'index.parquet');
  const shard = { number: 1, count: 1 };
  const input = { inputs: [folder], recursive: true, filters: [], shard };
  writeIndexTable({ path, format: 'parquet', level: 'file', columns: [], where: undefined, input, createdBy: '' });
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  return parquetReadObjects({ file: buffer.slice(byteOffset, byteOffset + byteLength) });
}

export type TableOptions = {
  /** Types of columns that differ from those that `negato index` writes. */
  readonly types?: Readonly<Record<string, BasicType>>;
  readonly without?: readonly string[];
  readonly rowGroupSize?: number;
};

/** Writes an index of any rows, and returns its path. */
export function writeRows(rows: readonly StoredRow[], { types = {}, without = [], rowGroupSize }: TableOptions = {}) {
  const columnData = recordColumns()
    .filter(({ name }) => !without.includes(name))
    .map(({ name, type }) => ({
      name,
      type: types[name] ?? type,
      nullable: true,
      data: rows.map((row) => row[name] ?? null),
    }));
  const path = join(createTempFolder(), 'index.parquet');
  writeFileSync(path, Buffer.from(parquetWriteBuffer({ columnData, ...(rowGroupSize && { rowGroupSize }) })));
  return path;
}

/** Options of a catalog that opens an index, and what the user is told meanwhile. */
export async function openTable(path: string, where?: string) {
  const source = localFile(path);
  const indexes = [{ source, description: await describeIndex(source, where) }];
  const tasks = borrowThreads(createMemoryAccount());
  onTestFinished(() => tasks.close());
  const troubles: string[] = [];
  const onTrouble = (message: string) => troubles.push(message);
  const known: CatalogOptions['known'] = (signal) =>
    openIndexes({ indexes }, { tasks, filters: where === undefined ? [] : [{ where }], places: [], onTrouble, signal });
  return { known, troubles };
}
