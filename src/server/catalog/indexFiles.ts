import type { SkipReason } from '../../shared/contract/files.ts';
import type { Attributes } from '../dicom/dataSet.ts';
import { type Inputs, listInputs } from '../origins/origins.ts';
import type { Filter } from './filter.ts';
import type { FileDescription } from './dicomFile.ts';
import { type IndexColumn, type IndexTag, type IndexValue, listIndexColumns } from './indexColumns.ts';
import { readMediaDirectory } from './mediaDirectory.ts';
import { createFileScanner } from './scanFile.ts';

/** One of several parts of the files, which are indexed side by side. */
export type Shard = { readonly number: number; readonly count: number };

export type IndexInput = Inputs & {
  readonly filters: readonly Filter[];
  readonly tags: readonly IndexTag[];
  readonly shard: Shard;
};

export type IndexedColumn = Pick<IndexColumn, 'name' | 'type'> & { readonly values: IndexValue[] };

/** What was found so far. */
export type IndexProgress = {
  readonly files: number;
  readonly filtered: number;
  readonly attachments: number;
  readonly skipped: ReadonlyMap<SkipReason, number>;
};

/** Rows that are written together. They take a few megabytes. */
const ROWS_AT_ONCE = 8_192;

/**
 * Reads the headers of all files of a shard, one after another, and yields their rows in groups, at least one group. It
 * blocks the thread, which has nothing else to do.
 */
export function* indexFiles(input: IndexInput): Generator<readonly IndexedColumn[], IndexProgress, void> {
  const { inputs, recursive, filters, tags, shard } = input;
  const columns = listIndexColumns(tags);
  const skipped = new Map<SkipReason, number>();
  let files = 0;
  let filtered = 0;
  let attachments = 0;
  let group = createGroup(columns);
  let rows = 0;
  let hasYielded = false;
  let row: readonly IndexValue[] = [];
  const toRow = (file: FileDescription, header: Attributes) => {
    row = columns.map(({ read }) => read(file, header));
  };
  const scanFile = createFileScanner(filters, { tags: tags.map(({ tag }) => tag), onFile: toRow });

  for (const entry of listInputs({ inputs, recursive, readMediaDirectory })) {
    if (!isInShard(entry.path, shard)) continue;
    const result = scanFile(entry);
    if (result.disposition === 'filtered') filtered += 1;
    else if (result.disposition === 'attached') attachments += 1;
    else if (result.disposition === 'skipped') skipped.set(result.reason, (skipped.get(result.reason) ?? 0) + 1);
    else {
      files += 1;
      rows += 1;
      for (const [at, value] of row.entries()) group[at]!.values.push(value);
    }
    if (rows < ROWS_AT_ONCE) continue;
    yield group;
    hasYielded = true;
    group = createGroup(columns);
    rows = 0;
  }
  if (rows > 0 || !hasYielded) yield group;
  return { files, filtered, attachments, skipped };
}

function createGroup(columns: readonly IndexColumn[]): IndexedColumn[] {
  return columns.map(({ name, type }) => ({ name, type, values: [] }));
}

/**
 * By a hash of the path (FNV-1a), not by its position in the list: a file that appears while the shards run must not
 * move others into or out of a shard that has passed them.
 */
export function isInShard(path: string, { number, count }: Shard): boolean {
  if (count === 1) return true;
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at += 1) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  // The last bits of the hash depend on the last letters only.
  return ((hash ^ (hash >>> 15)) >>> 0) % count === number - 1;
}
