import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Annotations, createAnnotations, type JournalSettings } from '../../src/server/annotations/annotations.ts';
import { type Catalog, type CatalogOptions, createCatalog } from '../../src/server/catalog/catalog.ts';
import {
  createServer,
  type NegatoServer,
  type ServerAddress,
  type ServerOptions,
} from '../../src/server/http/createServer.ts';
import type { ServerDomains } from '../../src/server/http/serverContext.ts';
import type { ServerLog } from '../../src/server/http/serverLog.ts';
import { createMemoryAccount, type MemoryAccount } from '../../src/server/memory/memoryAccount.ts';
import { createTaskPool } from '../../src/server/memory/taskPool.ts';
import { createFrames } from '../../src/server/pixels/frames.ts';
import { createReferences } from '../../src/server/references/references.ts';
import { createSemantics } from '../../src/server/semantics/semantics.ts';
import { createSeriesList } from '../../src/server/series/seriesList.ts';
import { createSlideContexts } from '../../src/server/wsi/slideContext.ts';

export type TestServer = ServerAddress & {
  readonly server: NegatoServer;
  readonly catalog: Catalog;
  readonly annotations: Annotations;
  readonly memory: MemoryAccount;
  /** What the server logged as an error. */
  readonly errors: readonly unknown[];
  request(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
};

export type ServeOptions = {
  /** Paths, or the bytes of files that are written to a folder of their own, named 0.dcm, 1.dcm and so on. */
  readonly inputs?: readonly (string | Uint8Array)[];
  readonly catalog?: Partial<CatalogOptions>;
  /** False leaves the list empty and starts no thread. */
  readonly scans?: boolean;
  readonly server?: Partial<ServerOptions>;
  /** The CSV to import; its relative paths begin at the root. */
  readonly annotationCsv?: string;
  /** Without it edits are in memory only. */
  readonly journal?: JournalSettings;
  /** What --memory would say. */
  readonly memoryBytes?: number;
  readonly domains?: Partial<ServerDomains>;
};

/** The real server on a real socket, with all files found. It is closed when the test ends. */
export function serve(...inputs: readonly (string | Uint8Array)[]): Promise<TestServer> {
  return serveWith({ inputs });
}

export async function serveWith({ inputs = [], scans = true, ...options }: ServeOptions): Promise<TestServer> {
  const errors: unknown[] = [];
  const log: ServerLog = { debug: () => {}, warn: () => {}, error: (message, cause) => errors.push(cause ?? message) };
  const server = createServer({ listen: { kind: 'tcp', host: '127.0.0.1', port: 0 }, log, ...options.server });
  const address = await server.listen();

  const memory = createMemoryAccount(options.memoryBytes);
  const catalog = createCatalog({ inputs: await toPaths(inputs), memory, ...options.catalog });
  const tasks = createTaskPool(memory, { size: 2 });
  const annotations = createAnnotations({
    files: catalog,
    tasks,
    csv: options.annotationCsv === undefined ? undefined : { path: options.annotationCsv, startDirectory: '/' },
    instance: String(server.startedAtMs),
    journal: options.journal,
  });
  const frames = createFrames({ tasks, memory });
  const series = createSeriesList({ catalog, tasks });
  const references = createReferences({ catalog, tasks, memory });
  const semantics = createSemantics({ catalog, tasks, memory, frames, references });
  const slides = createSlideContexts({ catalog, tasks, memory });
  const domains = { catalog, tasks, memory, frames, series, references, slides, semantics, annotations };
  server.serve({ ...domains, ...options.domains });
  if (scans) {
    catalog.start();
    await catalog.scanComplete;
  }
  let closed: Promise<void> | undefined;
  const close = () => {
    annotations.close();
    references.close();
    closed ??= Promise.all([server.close(), catalog.cancel(), tasks.close(), series.close()]).then(() =>
      annotations.closeJournal(),
    );
    return closed;
  };
  onTestFinished(close);
  return {
    ...address,
    server,
    catalog,
    annotations,
    memory,
    errors,
    request: (path, init) => fetch(address.baseUrl + path, init),
    close,
  };
}

async function toPaths(inputs: readonly (string | Uint8Array)[]): Promise<string[]> {
  if (inputs.every((input) => typeof input === 'string')) return [...inputs];
  const folder = await mkdtemp(join(tmpdir(), 'negato-serve-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const paths = inputs.map(async (input, i) => {
    if (typeof input === 'string') return input;
    const path = join(folder, `${i}.dcm`);
    await writeFile(path, input);
    return path;
  });
  return Promise.all(paths);
}
