import { ViewerError } from '../../../shared/contract/errors.ts';
import { type ColumnsResponse, MOST_COLUMNS, type WireTableColumn } from '../../../shared/contract/tables.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import { readPieces, type PieceReply } from '../../machine/workers/askedThread.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { StartThread } from '../../machine/workers/startThread.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ElementColumn } from '../catalog/elementColumns.ts';
import { findColumn } from '../catalog/indexColumns.ts';
import { createFileNews } from '../catalog/fileNews.ts';
import { createHarvest, type HarvestedColumn } from './harvest.ts';
import { type CheckedQuery, type GivenTableQuery, type KnownTable, parseTableQuery } from './parseTableQuery.ts';
import type { PeopleColumnInfo, PeopleItem } from './peopleColumn.ts';
import { describeElement, describePeople, describeRecord } from './describeColumns.ts';
import { findTableName, listRecordColumns, USUAL_COLUMNS } from './tableColumns.ts';
import type { HarvestedValues } from './tableData.ts';
import type { ChosenReply, FactsReply, HeldReply, JsonReply } from './tableMessages.ts';
import { searchAll } from './search.ts';
import type { SearchWish } from './searchTasks.ts';
import { startTableThread, type TableThread } from './tableThread.ts';
import type { TableFormat } from './writeTableFile.ts';

/** What people have made of files, as a column. */
export type PeopleSource = {
  readonly info: PeopleColumnInfo;
  /** Grows with every change. */
  readonly revision: () => number;
  readonly list: () => Promise<readonly PeopleItem[]>;
  /** What a reader of the column must know. */
  readonly problem?: () => string | undefined;
};

/** One table of all open files, with rows for files, series or studies. */
export interface Tables {
  columns(signal: AbortSignal): Promise<ColumnsResponse>;
  /**
   * Replaces the columns that are read from the files. Throws `invalid_column` for a path that names no element, and
   * `payload_too_large` for too many.
   */
  want(paths: readonly string[], signal: AbortSignal): Promise<ColumnsResponse>;
  /** Throws `invalid_query`, and `column_not_ready` unless `isPartial`. */
  page(query: WantedTable & PagePlace, signal: AbortSignal): Promise<TablePage>;
  summary(query: WantedTable, signal: AbortSignal): Promise<TablePage>;
  /** The indices of the files that a condition chooses, ascending. Throws as `page` does. */
  choose(where: string, signal: AbortSignal): Promise<Uint32Array>;
  /** All rows as a file, written while it is read. */
  write(query: WantedTable, format: TableFormat, signal: AbortSignal): Promise<TableFile>;
  /** Lines of JSON for all elements in which a text is found. */
  search(wish: Omit<SearchWish, 'mostOfFile'>, signal: AbortSignal): TableFile;
  /** Reads nothing new; answers that have begun may finish. */
  stop(): void;
  close(): Promise<void>;
}

export type WantedTable = GivenTableQuery & { readonly isPartial: boolean };
export type PagePlace = { readonly offset: number; readonly limit: number };
export type TableFile = AsyncGenerator<Uint8Array<ArrayBuffer>, void>;

/** A part of a table, as JSON. */
export type TablePage = Pick<JsonReply, 'total' | 'members'> & {
  readonly revision: number;
  readonly isComplete: boolean;
  readonly query: CheckedQuery;
};

export type TablesContext = {
  readonly catalog: Pick<Catalog, 'files' | 'gone' | 'readLater' | 'whenRead' | 'rowsFrom' | 'progress' | 'subscribe'>;
  readonly tasks: TaskRunner;
  readonly memory: Pick<MemoryAccount, 'plan' | 'setColumnBytes'>;
  /** What people have made, of which more may come to be known. */
  readonly people: () => readonly PeopleSource[];
  /** The program, which files name. */
  readonly createdBy: string;
  /** How the thread is started, if not as a new one. */
  readonly startThread?: StartThread | undefined;
};

/** How long a query waits for columns that are being read. */
const NOT_READY_WAIT_MS = 1_000;
/** Values that are counted for the list of columns, if they were not counted before. */
const MOST_COUNTED = 5_000_000;

export function createTables(context: TablesContext): Tables {
  const { catalog, tasks, memory, people, createdBy } = context;
  const budgetBytes = memory.plan.columns;
  let thread: TableThread | undefined;
  let news = createFileNews(catalog);
  const sentPeople = new Map<PeopleSource, number>();

  const harvest = createHarvest({ catalog, tasks, onValues: takeValues });

  function startAgain(): TableThread {
    news = createFileNews(catalog);
    sentPeople.clear();
    const started = startTableThread(() => {
      if (thread !== started) return;
      thread = undefined;
      memory.setColumnBytes(0);
      harvest.restart();
    }, context.startThread);
    started.tell({ kind: 'start', budgetBytes });
    started.tell({ kind: 'columns', columns: listHarvested() });
    return started;
  }

  const listHarvested = () =>
    harvest.columns().flatMap(({ column: { name, type, vr }, failure }) =>
      // What a private element of a file is, only the file says.
      failure === undefined ? [{ name, type: vr === undefined && type === 'STRING' ? undefined : type }] : [],
    );

  async function takeValues(values: HarvestedValues): Promise<void> {
    thread ??= startAgain();
    const { bytes } = await thread.ask<HeldReply>((answer) => ({ kind: 'harvested', answer, ...values }));
    memory.setColumnBytes(bytes);
    if (bytes <= budgetBytes) return;
    const megabytes = Math.floor(budgetBytes / 2 ** 20);
    harvest.fail(`columns may take ${megabytes} MiB; start negato with more --memory, or ask for fewer`);
    thread?.tell({ kind: 'columns', columns: listHarvested() });
  }

  /** Sends the thread the files that are new. */
  function* sendNews(): WorkInTurns<TableThread> {
    const current = (thread ??= startAgain());
    for (;;) {
      yield;
      if (current !== thread) return current;
      const facts = news.next();
      if (facts === undefined) return current;
      current.tell(facts);
    }
  }

  /** The thread, once it knows everything. */
  async function prepare(signal: AbortSignal): Promise<TableThread> {
    const current = await doInTurns(sendNews(), signal);
    // While one is listed, others may come to be known.
    for (let at = 0; at < people().length; at += 1) {
      const source = people()[at]!;
      const revision = source.revision();
      if (sentPeople.get(source) === revision) continue;
      const items = await source.list();
      sentPeople.set(source, revision);
      current.tell({ kind: 'people', info: source.info, items });
    }
    return current;
  }

  const isThere = (name: string) =>
    people().some(({ info }) => info.name === name) || harvest.columns().some(({ column }) => column.name === name);

  function knownTable(): KnownTable {
    const records = listRecordColumns().map(({ name }) => name);
    const harvested = harvest.columns().map(({ column }) => column.name);
    return {
      find: (written) => findTableName(written, isThere),
      all: [...records, ...harvested, ...people().map(({ info }) => info.name)],
      // What the user has named when the viewer was started comes first.
      usual: [
        ...people().flatMap(({ info }) => (info.isUsual === true ? [info.name] : [])),
        ...records.filter((name) => USUAL_COLUMNS.has(name)),
      ],
    };
  }

  const isReady = ({ done, failure }: HarvestedColumn) => failure === undefined && done >= catalog.files.length;

  /** Throws `column_not_ready` if a column of the query is being read, or could not be read. */
  async function check(given: WantedTable): Promise<{ readonly query: CheckedQuery; readonly isComplete: boolean }> {
    const query = parseTableQuery(given, knownTable());
    const findLate = () => harvest.columns().find((entry) => query.used.has(entry.column.name) && !isReady(entry));
    if (findLate() !== undefined && !given.isPartial) await harvest.settle(NOT_READY_WAIT_MS);
    const late = findLate();
    if (late !== undefined && !given.isPartial) {
      const { column, done, failure } = late;
      const state = failure ?? `${done} of ${catalog.files.length} files were read for it`;
      throw new ViewerError('column_not_ready', `the column ${column.name} is not ready: ${state}`);
    }
    return { query, isComplete: late === undefined && catalog.progress.scanComplete };
  }

  const revision = () =>
    people().reduce((sum, source) => sum + source.revision(), 0) +
    catalog.files.length +
    catalog.gone.changes +
    catalog.readLater.length +
    harvest.changes();

  async function columns(signal: AbortSignal): Promise<ColumnsResponse> {
    const current = await prepare(signal);
    const total = catalog.files.length;
    const records = listRecordColumns();
    const harvested = harvest.columns();
    const isCounted = records.length * total <= MOST_COUNTED;
    const names = [
      ...(isCounted ? records.map(({ name }) => name) : []),
      ...harvested.flatMap(({ column, failure }) => (failure === undefined ? [column.name] : [])),
      ...people().map(({ info }) => info.name),
    ];
    const at = revision();
    const reply = await current.ask<FactsReply>((answer) => ({ kind: 'describe', answer, names }), signal);
    memory.setColumnBytes(reply.bytes);
    const facts = new Map(reply.facts.map((fact) => [fact.name, fact]));
    const all: WireTableColumn[] = [
      ...records.map((column) => describeRecord(column, { facts: facts.get(column.name), total })),
      ...harvested.map((entry) => describeElement(entry, { facts: facts.get(entry.column.name), total })),
      ...people().map(({ info, problem }) => ({
        ...describePeople(info, { facts: facts.get(info.name), total }),
        problem: problem?.() ?? null,
      })),
    ];
    return { revision: at, columns: all };
  }

  async function ask(
    given: WantedTable,
    signal: AbortSignal,
    toQuestion: (query: CheckedQuery) => Parameters<TableThread['ask']>[0],
  ): Promise<TablePage> {
    const { query, isComplete } = await check(given);
    const current = await prepare(signal);
    const at = revision();
    const reply = await current.ask<JsonReply>(toQuestion(query), signal);
    memory.setColumnBytes(reply.bytes);
    const { total, members } = reply;
    return { total, members, query, isComplete, revision: at };
  }

  return {
    columns,
    async want(paths, signal) {
      const wanted = parsePaths(paths).filter(({ name }) => !people().some(({ info }) => info.name === name));
      // Each value takes a byte, if there are few different ones.
      if (wanted.length * catalog.files.length > budgetBytes) {
        throw new ViewerError('payload_too_large', 'so many columns of so many files take more than --memory allows');
      }
      harvest.want(wanted);
      thread?.tell({ kind: 'columns', columns: listHarvested() });
      return columns(signal);
    },
    page: (given, signal) =>
      ask(given, signal, (query) => (answer) => ({
        kind: 'page',
        answer,
        query: { ...query, offset: given.offset, limit: given.limit },
      })),
    summary: (given, signal) => ask(given, signal, (query) => (answer) => ({ kind: 'summary', answer, query })),
    async choose(where, signal) {
      await check({ where, isPartial: false });
      const current = await prepare(signal);
      const reply = await current.ask<ChosenReply>((answer) => ({ kind: 'choose', answer, where }), signal);
      memory.setColumnBytes(reply.bytes);
      return reply.files;
    },
    async write(given, format, signal) {
      const { query } = await check(given);
      const current = await prepare(signal);
      const question = { query, format, createdBy };
      const first = await current.ask<PieceReply>((answer) => ({ kind: 'begin', answer, ...question }), signal);
      const { answer } = first;
      return readPieces(first, {
        next: () => current.askAgain<PieceReply>(answer, { kind: 'continue', answer }),
        drop: () => current.drop(answer),
      });
    },
    search: (wish, signal) => searchAll({ catalog, tasks }, wish, signal),
    stop: () => harvest.close(),
    async close() {
      harvest.close();
      await thread?.end();
    },
  };
}

/** The columns of paths. What the list tells needs no reading. */
function parsePaths(paths: readonly string[]): readonly ElementColumn[] {
  if (paths.length > MOST_COLUMNS) {
    throw new ViewerError('payload_too_large', `more than ${MOST_COLUMNS} columns at a time`);
  }
  const wanted = new Map<string, ElementColumn>();
  for (const path of paths) {
    const found = findColumn(path);
    if (!found.ok) throw new ViewerError('invalid_column', `${JSON.stringify(path)} ${found.message}`);
    const { column } = found;
    if (column.path !== undefined) wanted.set(column.name, column);
    else if (column.isInternal)
      throw new ViewerError('invalid_column', `${JSON.stringify(path)} is no column of a table`);
  }
  return [...wanted.values()];
}
