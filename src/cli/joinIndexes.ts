import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { type KnownSource, type ListedEntry, localFile, seeListed, sizeOf } from '../server/bytes/origins/origins.ts';
import { packSource } from '../server/bytes/origins/sourceColumns.ts';
import { findColumn, listIndexColumns, recordColumns } from '../server/images/catalog/indexColumns.ts';
import { indexFiles, type IndexInput, type IndexProgress, isInShard } from '../server/images/catalog/indexFiles.ts';
import { parseWhereOfFiles } from '../server/images/catalog/whereOfFiles.ts';
import {
  joinColumns,
  joinTables,
  type OnPart,
  openIndexTable,
  type OpenIndex,
  readParts,
  RowSet,
  takeNewest,
} from '../server/images/tables/joinTables.ts';
import { keyOfPath, PathTable } from '../server/images/tables/pathTable.ts';
import { type FileRow, writeTableFile } from '../server/images/tables/writeTableFile.ts';
import { parseFilters } from '../shared/fileFilter.ts';
import { aboutIndex, aboutJoined, readAbout } from './aboutIndex.ts';
import { writeWhole } from './writeWhole.ts';

/** What the thread that merges indexes is told. */
export type MergeInput = {
  /** Without symbolic links. */
  readonly tables: readonly string[];
  /** Written anew. */
  readonly path: string;
  readonly createdBy: string;
};
export type MergeOutcome = { readonly rows: number; readonly tables: number; readonly duplicates: number };

/** Merges indexes into one. */
export async function mergeIndexes(
  { tables: paths, path, createdBy }: MergeInput,
  onPart: OnPart,
): Promise<MergeOutcome> {
  const tables: OpenIndex[] = [];
  try {
    for (const one of paths) tables.push(await openIndexTable(localFile(one), one, onPart));
    // Before all rows are read for nothing.
    joinColumns(tables);
    const { taken, duplicates } = await takeNewest(tables);
    const rows = taken.reduce((sum, { count }) => sum + count, 0);
    const about = aboutJoined(
      tables.map((table) => readAbout(table.about)),
      rows,
    );
    const inputs = tables.map((table, at) => ({ table, taken: taken[at]! }));
    await writePieces(path, joinTables(inputs, { createdBy, about }));
    return { rows, tables: tables.length, duplicates };
  } finally {
    for (const table of tables) table.close();
  }
}

/** What the thread that updates an index is told. */
export type UpdateInput = {
  /** Without symbolic links. */
  readonly table: string;
  /** Written anew, and another one that is removed again. */
  readonly path: string;
  readonly spare: string;
  readonly inputs: readonly string[];
  /** Undefined: that of the table. */
  readonly shard: IndexInput['shard'] | undefined;
  readonly createdBy: string;
};

export type UpdateOutcome = {
  /** Rows that are as they were, and how many of them are of files that were not looked for. */
  readonly kept: number;
  readonly notLookedFor: number;
  readonly added: number;
  readonly changed: number;
  readonly gone: number;
  /** Nothing was written, because the table would be the same. */
  readonly isSame: boolean;
  readonly found: IndexProgress;
};

/** Reads what is new or has changed since an index was written, and writes the index of all that is there now. */
export async function updateIndex(input: UpdateInput, onPart: OnPart): Promise<UpdateOutcome> {
  const table = await openIndexTable(localFile(input.table), input.table, onPart);
  try {
    const about = readAbout(table.about);
    if (about.chosen === 'several') throw new Error(`${input.table}: its parts were chosen by different conditions`);
    const known = await readKnown(table);
    const shard = input.shard ?? about.shard;
    const { where, filters = [], recursive = true } = about.chosen ?? {};
    const search = { inputs: input.inputs, recursive, shard, filters: [...toFilters(filters, where)] };
    const fresh = await readFresh(input, { table, known, search });
    try {
      const rest = await judgeRest(table, known, search);
      const { found } = known;
      const added = found.files - known.replaced;
      const counts = { kept: known.kept.count, notLookedFor: rest.notLookedFor, added, gone: rest.gone, found };
      const changed = known.changed.count;
      const isSame = found.files === 0 && known.kept.count === table.rows && !known.hasMoved;
      if (isSame) return { ...counts, changed, isSame };
      const all = new RowSet(fresh.rows);
      for (let row = 0; row < fresh.rows; row += 1) all.add(row);
      const changes = { file_dev: known.dev, file_ino: known.ino };
      const inputs = [
        { table, taken: known.kept, changes },
        { table: fresh, taken: all },
      ];
      const said = aboutIndex({ ...found, files: known.kept.count + all.count }, { ...about, shard });
      await writePieces(input.path, joinTables(inputs, { createdBy: input.createdBy, about: said }));
      return { ...counts, changed, isSame };
    } finally {
      fresh.close();
    }
  } finally {
    rmSync(input.spare, { force: true });
    table.close();
  }
}

function* toFilters(filters: readonly string[], where: string | undefined): Generator<IndexInput['filters'][number]> {
  const parsed = parseFilters(filters);
  if (!parsed.ok) throw new Error(parsed.message);
  yield* parsed.filters;
  if (where === undefined) return;
  const condition = parseWhereOfFiles(where);
  if (!condition.ok) throw new Error(condition.message);
  yield { where };
}

/** The rows of the table by path, and what becomes of them. */
type KnownRows = {
  readonly paths: PathTable;
  /** Two words for each row: a hash of where its file is and of its size and time. */
  readonly states: Uint32Array;
  /** The same file may be known by other numbers after a restart of the system or a copy. */
  readonly dev: Float64Array;
  readonly ino: Float64Array;
  readonly kept: RowSet;
  /** Rows of files that are there, and not as they were. */
  readonly changed: RowSet;
  /** Paths of folders and archives that could not be read: what they hold is not gone. */
  readonly unread: string[];
  hasMoved: boolean;
  /** Files that have taken the place of a row. */
  replaced: number;
  found: IndexProgress;
};

const STATE_WORDS = 2;

async function readKnown(table: OpenIndex): Promise<KnownRows> {
  const { rows } = table;
  const paths = new PathTable(rows);
  const states = new Uint32Array(rows * STATE_WORDS);
  const dev = new Float64Array(rows);
  const ino = new Float64Array(rows);
  const names = ['path', 'real_path', 'file_bytes', 'file_mtime_ms', 'file_dev', 'file_ino'];
  for await (const { span, values } of readParts(table, names)) {
    for (let row = span.from; row < span.to; row += 1) {
      const [path, text, size, time, ofDev, ofIno] = values.map((column) => column?.[row - span.from]);
      if (typeof path === 'string') paths.set(keyOfPath(path), row);
      states.set(stateOf(typeof text === 'string' ? text : undefined, Number(size), toNumber(time)), row * STATE_WORDS);
      dev[row] = toNumber(ofDev);
      ino[row] = toNumber(ofIno);
    }
  }
  const found = { files: 0, filtered: 0, attachments: 0, skipped: new Map() };
  const [kept, changed] = [new RowSet(rows), new RowSet(rows)];
  return { paths, states, dev, ino, kept, changed, unread: [], hasMoved: false, replaced: 0, found };
}

function toNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN;
}

function stateOf(text: string | undefined, size: number, time: number): Uint32Array {
  return keyOfPath(`${text ?? ''}\0${size}\0${time}`).subarray(0, STATE_WORDS);
}

/** Whether a listed file is as its row says. */
function keepIfSame(known: KnownRows, entry: ListedEntry): boolean {
  if ('reason' in entry) {
    known.unread.push(entry.path);
    return false;
  }
  const row = known.paths.get(keyOfPath(entry.path))?.number;
  if (row === undefined) return false;
  const now = seeListed(entry.ref);
  const packed = now && packSource(now, entry.path);
  const isSame = now !== undefined && packed !== undefined && hasState(known, row, { now, packed });
  if (!isSame) {
    known.changed.add(row);
    return false;
  }
  if (Number.isFinite(packed.dev) && (known.dev[row] !== packed.dev || known.ino[row] !== packed.ino)) {
    known.dev[row] = packed.dev;
    known.ino[row] = packed.ino;
    known.hasMoved = true;
  }
  known.kept.add(row);
  return true;
}

function hasState(
  { states }: KnownRows,
  row: number,
  { now, packed }: { readonly now: KnownSource; readonly packed: ReturnType<typeof packSource> },
): boolean {
  const [first, second] = stateOf(packed.text, sizeOf(now), packed.mtimeMs);
  return states[row * STATE_WORDS] === first && states[row * STATE_WORDS + 1] === second;
}

/** Writes the rows of the files that are not as the table says, and opens them. */
async function readFresh(
  { spare, createdBy }: UpdateInput,
  { table, known, search }: { readonly table: OpenIndex; readonly known: KnownRows; readonly search: IndexInput },
): Promise<OpenIndex> {
  const columns = listIndexColumns(table.columns.flatMap(({ name }) => elementOf(name)));
  const file = openSync(spare, 'wx', 0o600);
  try {
    function* rows(): Generator<FileRow, undefined> {
      const files = indexFiles(search, columns, (entry) => keepIfSame(known, entry));
      for (;;) {
        const step = files.next();
        if (step.done === true) {
          known.found = step.value;
          return undefined;
        }
        const before = known.paths.get(keyOfPath(step.value.file.path))?.number;
        if (before !== undefined && known.changed.has(before)) known.replaced += 1;
        yield step.value.values;
      }
    }
    for (const piece of writeTableFile(rows(), { format: 'parquet', columns, createdBy })) writeWhole(file, piece);
  } finally {
    closeSync(file);
  }
  return openIndexTable(localFile(spare), 'the table of new files', table.onPart);
}

/** The element that is read for a column; none for one that another program has added. */
function elementOf(name: string) {
  if (recordColumns().some((column) => column.name === name)) return [];
  const found = findColumn(name);
  return found.ok && found.column.path !== undefined && found.column.name === name ? [found.column.path] : [];
}

/** Keeps the rows that say nothing about what was looked for: of other folders, parts and unread folders. The others are gone. */
async function judgeRest(
  table: OpenIndex,
  { kept, changed, unread }: KnownRows,
  { inputs, recursive, shard }: IndexInput,
): Promise<{ readonly gone: number; readonly notLookedFor: number }> {
  const roots = inputs.map((input) => resolve(input));
  const unreadPaths = new Set(unread);
  let gone = 0;
  let notLookedFor = 0;
  if (kept.count === table.rows) return { gone, notLookedFor };
  const wasLookedFor = (path: string) =>
    roots.some((root) => isAt(path, root) && (recursive || isBeside(path, root))) &&
    isInShard(path, shard) &&
    !foldersOf(path).some((folder) => unreadPaths.has(folder));
  for await (const { span, values } of readParts(table, ['path'])) {
    for (let row = span.from; row < span.to; row += 1) {
      if (kept.has(row) || changed.has(row)) continue;
      const path = values[0]?.[row - span.from];
      if (typeof path !== 'string' || wasLookedFor(path)) {
        gone += 1;
        continue;
      }
      notLookedFor += 1;
      kept.add(row);
    }
  }
  return { gone, notLookedFor };
}

function isAt(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep) || path.startsWith(`${root}!/`);
}

/** Whether no folder is between them. */
function isBeside(path: string, root: string): boolean {
  const [file = ''] = path.slice(root.length + 1).split('!/');
  return !file.includes(sep);
}

/** All folders and archives that a path is in. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf(sep, 1); at !== -1; at = path.indexOf(sep, at + 1)) {
    folders.push(path.slice(0, path[at - 1] === '!' ? at - 1 : at));
  }
  return folders;
}

/** Nothing takes the place of a table before all of this is on the disk. */
async function writePieces(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  // Never through a link that another user has put there.
  const file = openSync(path, 'wx', 0o600);
  try {
    for await (const piece of pieces) writeWhole(file, piece);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
