import { cpSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnnotatedFilesResponse } from '../../../src/shared/contract/annotations.ts';
import { ViewerError } from '../../../src/shared/contract/errors.ts';
import { MARK_KINDS, type MarksResponse, type WireMark } from '../../../src/shared/contract/marks.ts';
import { createMemoryAccount } from '../../../src/server/machine/memory/memoryAccount.ts';
import type { Task, TaskRunner } from '../../../src/server/machine/workers/task.ts';
import { type Annotations, createAnnotations } from '../../../src/server/work/annotations/annotations.ts';
import { unpackRois } from '../../../src/server/work/annotations/packedRois.ts';
import { ROI_FORMAT } from '../../../src/server/work/annotations/roiFormat.ts';
import { nameJournal } from '../../../src/server/work/journal/journalFile.ts';
import { MARK_FORMAT, readMarkJournal } from '../../../src/server/work/marks/markFormat.ts';
import { createMarks, type MarkStore } from '../../../src/server/work/marks/marks.ts';
import type { RoiBackend } from '../../../src/web/draw/marks/rois/roiBackend.ts';
import { parsePayload, type RoiMark } from '../../../src/web/draw/marks/rois/roi.ts';
import type { MarkRequests } from '../../../src/web/draw/marks/sync/markRequests.ts';
import { ConnectionLost, RequestRefused } from '../../../src/web/kit/api/send.ts';
import { createImage, createOpenFiles, importHere } from '../../support/annotatedFiles.ts';
import { createTempFolder } from '../../support/tempFolder.ts';
import { SLIDE } from './marksOfTab.ts';
import { TILE, TILED } from './roisOfTab.ts';

const PATHS = ['/data/1.dcm', '/data/2.dcm', '/data/slide.dcm', '/data/tiles.dcm'];
/** The names of the files. */
export const NAMES: readonly number[] = PATHS.map((_, name) => name);

/** The file of this name, as the server knows it and as the page does. */
export function describeFile(name: number) {
  const { rows, columns, frames } = name === TILED ? TILE : { rows: 100, columns: 200, frames: 5 };
  return { path: PATHS[name]!, uid: `1.2.${name}`, rows, columns, frames };
}

/** One run of the server, with its own stores and journals. */
export type TabServer = {
  readonly marks: MarkStore;
  readonly rois: Annotations;
  /** The names of its files, by their indices. */
  readonly order: readonly number[];
  readonly folder: string;
  listMarks(): Promise<readonly WireMark[]>;
  listRois(): Promise<ReadonlyMap<number, readonly RoiMark[]>>;
  close(): Promise<void>;
};

export async function startServer(
  order: readonly number[],
  folder: string,
  kept: 'restore' | 'offer' = 'restore',
): Promise<TabServer> {
  const files = createOpenFiles(
    order.map((name) => {
      const { path, uid, rows, columns, frames } = describeFile(name);
      const slide = { totalRows: 1024, totalColumns: 1024 };
      const placed = name === SLIDE ? { placement: { slide } } : {};
      return createImage(path, { sopInstanceUid: uid, rows, columns, frameCount: frames, ...placed });
    }),
  );
  const journal = { folder, kept };
  const instance = `run of ${folder}`;
  const rois = createAnnotations({ files, tasks: importHere(), instance, journal });
  const marks = createMarks({
    files,
    tasks: readHere,
    instance,
    journal,
    memory: createMemoryAccount(2 ** 30),
    rois: async () => [],
  });
  files.endScan();
  await Promise.all([marks.recovered, rois.recovered]);
  return {
    marks,
    rois,
    order,
    folder,
    async listMarks() {
      const { marks: listed }: { marks: WireMark[] } = JSON.parse([...(await marks.list({}))].join(''));
      return listed;
    },
    async listRois() {
      const lists = new Map<number, readonly RoiMark[]>();
      for (const index of order.keys()) lists.set(index, parsePayload(unpackRois((await rois.read(index)).rois)));
      return lists;
    },
    async close() {
      marks.close();
      rois.close();
      await Promise.all([marks.closeJournal(), rois.closeJournal()]);
    },
  };
}

/** Ends the process of the server, and starts the next one with the same files in another order. */
export async function restartServer(server: TabServer, how: 'restored' | 'offered' | 'lost'): Promise<TabServer> {
  server.marks.close();
  server.rois.close();
  // What is on disk at this moment is all that the next run finds.
  const next = copyJournals(how === 'lost' ? undefined : server.folder);
  await server.close();
  return startServer(server.order.toReversed(), next, how === 'offered' ? 'offer' : 'restore');
}

/** What the next run would have if the process of the server were killed now. It goes on. */
export async function readWhatIsKept<Answer>(
  server: TabServer,
  read: (next: TabServer) => Promise<Answer>,
): Promise<Answer> {
  const next = await startServer(server.order, copyJournals(server.folder));
  try {
    return await read(next);
  } finally {
    await next.close();
  }
}

/** Journals of a process that has ended, in a folder of their own. */
function copyJournals(folder: string | undefined): string {
  const next = join(createTempFolder(), 'state');
  if (folder !== undefined && existsSync(folder)) cpSync(folder, next, { recursive: true });
  for (const name of existsSync(next) ? readdirSync(next) : []) {
    const format = name.startsWith(MARK_FORMAT.name) ? MARK_FORMAT : ROI_FORMAT;
    renameSync(join(next, name), join(next, nameJournal('nobody', format) + (name.endsWith('.new') ? '.new' : '')));
  }
  return next;
}

/** `gone`: the tab is closed, and nothing of it goes on. */
export type Network = { state: 'up' | 'down' | 'answers lost' | 'gone'; readonly waiting: Set<() => void> };

/** Ends all pauses. */
export function wake({ waiting }: Network): void {
  for (const resume of waiting) resume();
  waiting.clear();
}

/** The requests of a page over a network that can fail. */
export function connect(
  server: () => TabServer,
  network: Network,
): { readonly marks: Partial<MarkRequests>; readonly rois: RoiBackend } {
  const isGone = () => network.state === 'gone';
  const pass = async <Answer>(action: (running: TabServer) => Promise<Answer>): Promise<Answer> => {
    const running = server();
    await nextTurn();
    if (isGone()) return new Promise(() => {});
    if (network.state === 'down') throw new ConnectionLost('the server does not respond');
    const answer = await action(running).catch((error: unknown) => {
      if (error instanceof ViewerError) throw new RequestRefused({ code: error.code, error: error.message });
      throw error;
    });
    await nextTurn();
    if (isGone()) return new Promise(() => {});
    if (network.state === 'answers lost') throw new ConnectionLost('the server does not respond');
    return answer;
  };
  const passMarks = <Answer>(action: (store: MarkStore) => Promise<Answer>) => pass(({ marks }) => action(marks));
  const wait: RoiBackend['wait'] = async (_, signal) => {
    if (network.state === 'up') await nextTurn();
    else {
      await new Promise<void>((resolve) => {
        network.waiting.add(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  };
  return {
    marks: {
      list: (since) =>
        passMarks(async (store): Promise<Omit<MarksResponse, 'marks'> & { marks: WireMark[] }> => {
          const query = { kind: [...MARK_KINDS], ...(since !== undefined && { since }) };
          return JSON.parse([...(await store.list(query))].join(''));
        }),
      read: (id) => passMarks(async (store) => toMark(await store.read(id))),
      create: (body) => passMarks(async (store) => toMark(await store.create(bytes(body)))),
      change: (id, body, ifMatch) =>
        passMarks(async (store) => toMark(await store.change(id, bytes(body), { ifMatch }))),
      replace: (id, body, ifMatch) =>
        passMarks(async (store) => toMark(await store.replace(id, bytes(body), { ifMatch }))),
      remove: (id, ifMatch) => passMarks(async (store) => ({ id, ...(await store.remove(id, { ifMatch })) })),
      changeMany: (body) => passMarks((store) => store.changeMany(bytes(body))),
      removeMany: (body) => passMarks((store) => store.removeMany(bytes(body))),
      readLabels: () => passMarks(async (store) => store.scheme()),
      readJournal: () =>
        passMarks(async (store) => {
          const { isSearched: searched, kept } = store.journal();
          const offered = { marks: kept?.items ?? 0, files: 1, path: '', changed_files: 0, saved_at_ms: 0 };
          return { state: 'on', error: null, folder: null, searched, kept: kept ? offered : null, unread: [] };
        }),
      wait,
    },
    rois: {
      read: (index) => pass(({ rois, folder }) => rois.read(index).then((one) => toStoredRois(one, folder))),
      survey: () =>
        pass(async ({ rois, folder }) => {
          const { files, untouched_etag: etag }: AnnotatedFilesResponse = JSON.parse(
            [...(await rois.listFiles())].join(''),
          );
          const untouched = { payload: { num_roi: 0, roi_coords: [], roi_frames: [] }, etag, instance: folder };
          return { etags: new Map(files.map((file) => [file.index, file.etag])), untouched };
        }),
      replace: (index, payload, { etag }) =>
        pass(({ rois, folder }) =>
          rois.replace(index, bytes(payload), { ifMatch: etag }).then((one) => toStoredRois(one, folder)),
        ),
      readJournal: () => pass(async ({ rois }) => ({ state: rois.journal().state })),
      wait,
    },
  };
}

function toStoredRois({ rois, etag }: Awaited<ReturnType<Annotations['read']>>, instance: string) {
  return { payload: unpackRois(rois), etag, instance };
}

function toMark({ texts }: { readonly texts: Iterable<string> }): WireMark {
  return JSON.parse([...texts].join(''));
}

function bytes(body: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body));
}

/** Reads journals on this thread, with the same code as in a worker. */
const readHere: TaskRunner = {
  async run<Input, Output, Of>(_: Task<Input, Output, Of>, input: Input): Promise<Output> {
    const context = { isCancelled: () => false, throwIfCancelled: () => {}, transfer: <View>(view: View) => view };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the store runs only this task for small bodies
    return (await readMarkJournal(input as { path: string }, context)) as Output;
  },
};
