import type { JournalSettings } from '../../src/server/work/journal/keptStore.ts';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Annotations } from '../../src/server/work/annotations/annotations.ts';
import type { Catalog, CatalogOptions } from '../../src/server/images/catalog/catalog.ts';
import { createDomains, type DomainOverrides } from '../../src/server/createDomains.ts';
import {
  createServer,
  type NegatoServer,
  type ServerAddress,
  type ServerOptions,
} from '../../src/server/doors/http/createServer.ts';
import type { ServerDomains, ServerLog } from '../../src/server/doors/http/serverContext.ts';
import { MARK_KINDS } from '../../src/shared/contract/marks.ts';
import type { ReviewSettings } from '../../src/server/work/review/reviews.ts';
import type { Scores } from '../../src/server/work/scores/scores.ts';
import type { MarkStore } from '../../src/server/work/marks/marks.ts';
import type { MemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import { createTaskPool, type TaskPool } from '../../src/server/machine/memory/taskPool.ts';
import { startSpool } from '../../src/server/bytes/origins/origins.ts';
import type { RemoteOptions } from '../../src/server/bytes/origins/remote/remoteAccess.ts';
import type { Clock } from '../../src/server/machine/workers/timeLimit.ts';
import { isRemoteInput } from '../../src/server/bytes/origins/remote/remoteInput.ts';
import { borrowThreads } from './borrowThreads.ts';
import { lendThread } from './lendThread.ts';

export type TestServer = ServerAddress & {
  readonly server: NegatoServer;
  readonly catalog: Catalog;
  readonly annotations: Annotations;
  readonly marks: MarkStore;
  readonly memory: MemoryAccount;
  readonly scores: Scores | undefined;
  /** Errors that the server logged. */
  readonly errors: readonly unknown[];
  request(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
};

export type ServeOptions = {
  /** Paths, or the contents of files that are written to a new folder as 0.dcm, 1.dcm and so on. */
  readonly inputs?: readonly (string | Uint8Array)[];
  readonly catalog?: Partial<CatalogOptions>;
  /** Those of the inputs that are laid over images at once. */
  readonly overlays?: readonly string[];
  /** Whether the first two of them are truth and test. */
  readonly areCompared?: boolean;
  /** If false, the list stays empty and no thread is started. */
  readonly scans?: boolean;
  readonly server?: Partial<ServerOptions>;
  /** The CSV to import. Relative paths in it start at the root. */
  readonly annotationCsv?: string;
  /** Without a journal, edits are kept in memory only. */
  readonly journal?: JournalSettings;
  /** The value of --memory. Such a server has its own threads, because its memory limits them. */
  readonly memoryBytes?: number;
  /** Whether the server answers DICOMweb. */
  readonly dicomweb?: boolean;
  /** What `--assist` says. */
  readonly assistants?: readonly string[];
  /** What `--review` says. */
  readonly review?: ReviewSettings;
  /** The file of `--scores`. */
  readonly scoresPath?: string;
  readonly domains?: Partial<ServerDomains>;
  /** How inputs on other machines are read. Such a server has its own threads. */
  readonly remote?: Partial<RemoteOptions>;
  /** The threads as volumes see them, so that a test can hold up the loading of slices. */
  readonly volumeTasks?: (tasks: TaskPool) => TaskPool;
  /** The threads as everything sees them. */
  readonly tasks?: (tasks: TaskPool) => TaskPool;
  /** Measures how long the work for a list of layers takes. */
  readonly clock?: Clock;
};

/** Starts the real server on a real socket and waits until all files are found. It is closed when the test ends. */
export function serve(...inputs: readonly (string | Uint8Array)[]): Promise<TestServer> {
  return serveWith({ inputs });
}

export async function serveWith({ inputs = [], ...options }: ServeOptions): Promise<TestServer> {
  const paths = await writeInputs(inputs);
  onTestFinished(() => paths.remove());
  const server = await startServer(paths.inputs, options);
  onTestFinished(() => server.close());
  return server;
}

/** The part of a server that tests may share: they only read. */
export type SharedServer = Pick<TestServer, 'baseUrl' | 'port' | 'catalog' | 'request'>;

type Kept = { readonly server: TestServer; readonly remove: () => Promise<void> };
/** Keyed by what they serve, least recently used first. */
const kept = new Map<string, Promise<Kept>>();
const MOST_KEPT = 3;

/** Options that can be compared with each other. */
export type SharedOptions = Pick<ServeOptions, 'inputs' | 'scans' | 'server' | 'dicomweb'>;

/**
 * A server shared by tests that only read. The next test with the same files gets the same server, because starting one
 * takes longer than most tests. A test that edits ROIs, changes files or stops the server uses `serve`.
 */
export function serveShared(...inputs: readonly (string | Uint8Array)[]): Promise<SharedServer> {
  return serveSharedWith({ inputs });
}

export async function serveSharedWith({ inputs = [], ...options }: SharedOptions): Promise<SharedServer> {
  const hash = createHash('sha256').update(JSON.stringify(options));
  for (const input of inputs) hash.update(`${typeof input} ${input.length} `).update(input);
  const key = hash.digest('hex');
  // Tests of one process run one after another, so the least recently used servers are idle. The next server takes the
  // port of one that is closed, and with it the process of the browser.
  for (const [oldest, old] of kept) {
    if (kept.has(key) || kept.size < MOST_KEPT) break;
    kept.delete(oldest);
    const { server, remove } = await old;
    await server.close();
    await remove();
  }
  const running = kept.get(key) ?? startShared(inputs, options);
  kept.delete(key);
  kept.set(key, running);
  const { server } = await running;
  await forgetMarks(server);
  if (server.annotations.countUnexported().files > 0)
    throw new Error('a test has edited ROIs of a server that is shared');
  return server;
}

async function startShared(inputs: readonly (string | Uint8Array)[], options: SharedOptions): Promise<Kept> {
  // The last servers still run when the process ends; their files are removed at the end of the run.
  const paths = await writeInputs(inputs, process.env['NEGATO_TEST_RUN']);
  return { server: await startServer(paths.inputs, options), remove: paths.remove };
}

/** Measuring makes marks, which the next test must not find. */
async function forgetMarks(server: TestServer): Promise<void> {
  const { marks }: { marks: { id?: number }[] } = JSON.parse(
    [...(await server.marks.list({ kind: [...MARK_KINDS] }))].join(''),
  );
  for (const { id } of marks) if (id !== undefined) await server.marks.remove(id);
}

async function startServer(
  inputs: readonly string[],
  { scans = true, ...options }: Omit<ServeOptions, 'inputs'>,
): Promise<TestServer> {
  const errors: unknown[] = [];
  const log: ServerLog = { debug: () => {}, warn: () => {}, error: (message, cause) => errors.push(cause ?? message) };
  const { server, address } = await listen({ log, ...options.server });

  const sharesThreads = options.memoryBytes === undefined && !inputs.some(isRemoteInput);
  const createTasks: DomainOverrides['createTasks'] = (memory, connection) => {
    const pool = sharesThreads ? borrowThreads(memory) : createTaskPool(memory, { size: 2, ...connection });
    return options.tasks?.(pool) ?? pool;
  };
  spool ??= startSpool({
    createFolder: () => join(process.env['NEGATO_TEST_RUN'] ?? tmpdir(), `spool-${process.pid}`),
  });
  const startThread = sharesThreads ? lendThread : undefined;
  const domains = createDomains({
    inputs,
    requested: options.overlays,
    areCompared: options.areCompared,
    catalog: { ...options.catalog, scan: { ...(startThread && { startThread }), ...options.catalog?.scan } },
    remote: { ...REMOTE, onTrouble: (message) => errors.push(message), ...options.remote },
    memoryBytes: options.memoryBytes,
    instance: String(server.startedAtMs),
    journal: options.journal,
    csv: options.annotationCsv === undefined ? undefined : { path: options.annotationCsv, startDirectory: '/' },
    dicomweb: options.dicomweb,
    assistants: options.assistants,
    review: options.review,
    scoresPath: options.scoresPath,
    overrides: { createTasks, volumeTasks: options.volumeTasks, startThread, clock: options.clock },
  });
  const { catalog, annotations, marks, memory, redactions, scores } = domains;
  server.serve({ ...domains, ...options.domains });
  await redactions.ready;
  if (scans) {
    catalog.start();
    await catalog.scanComplete;
  }
  const closeAll = async () => {
    await Promise.all([server.close(), domains.stop()]);
    await domains.close();
    freePorts.add(address.port);
  };
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= closeAll());
  return {
    ...address,
    server,
    catalog,
    annotations,
    marks,
    memory,
    scores,
    errors,
    request: (path, init) => fetch(address.baseUrl + path, init),
    close,
  };
}

const REMOTE = {
  anonymous: false,
  profile: undefined,
  endpoint: undefined,
  region: undefined,
  bearerCommand: undefined,
  requests: 64,
  maxObjects: 1_000_000,
  cacheFolder: undefined,
  cacheFolderBytes: 2 ** 30,
} as const;

/** There is one for the process, as in the command. */
let spool: ReturnType<typeof startSpool> | undefined;

/** Of closed servers of this process. */
const freePorts = new Set<number>();

/**
 * Servers of browser tests listen on the same port one after another. Pages of one origin run in the same process of the
 * browser, and starting a process takes as long as loading the page.
 */
async function listen(options: Omit<ServerOptions, 'listen'> & Partial<ServerOptions>) {
  const listenOn = async (port: number) => {
    const server = createServer({ listen: { kind: 'tcp', host: '127.0.0.1', port }, ...options });
    return { server, address: await server.listen() };
  };
  const isBrowserTest = expect.getState().testPath?.includes('/e2e/') === true;
  for (const port of isBrowserTest && options.listen === undefined ? freePorts : []) {
    freePorts.delete(port);
    try {
      return await listenOn(port);
    } catch {
      // Another process listens there by now.
    }
  }
  return listenOn(0);
}

type Inputs = { readonly inputs: readonly string[]; readonly remove: () => Promise<void> };

/** Writes inputs given as bytes to files in a new folder. */
async function writeInputs(inputs: readonly (string | Uint8Array)[], below = tmpdir()): Promise<Inputs> {
  if (inputs.every((input) => typeof input === 'string')) return { inputs, remove: async () => {} };
  const folder = await mkdtemp(join(below, 'negato-serve-'));
  const paths = inputs.map(async (input, i) => {
    if (typeof input === 'string') return input;
    const path = join(folder, `${i}.dcm`);
    await writeFile(path, input);
    return path;
  });
  return { inputs: await Promise.all(paths), remove: () => rm(folder, { recursive: true, force: true }) };
}
