// Compares negato with another server that has the same API, driven by one client over the same files: `npm run bench
// -- api --peer BASE_URL|dcmview [--folder FOLDER]`. Without a peer it is a second negato, which shows how much of a
// ratio is chance on this machine. See README.md beside this file.
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { FileRecord } from '../src/shared/contract/files.ts';
import { findDcmview, startDcmview } from './support/dcmview.ts';
import { withFolder } from './support/folder.ts';
import { compressedImages, writeGrayImages } from './support/frameFiles.ts';
import { createClient, interleave, type Measure } from './support/measure.ts';
import { mb, ms, type Report, runBenchmark, SUITE_OPTIONS, times } from './support/report.ts';
import { startServer } from './support/server.ts';

const CT = [512, 512] as const;
/** Number of requests for the lists of all files. */
const LIST_ROUNDS = 10;

const { values: options } = parseArgs({
  options: {
    ...SUITE_OPTIONS,
    /** The folder that the peer has open, if it cannot be derived from its paths. */
    folder: { type: 'string' },
    files: { type: 'string', default: '40' },
  },
});

await runBenchmark('api', (report) =>
  withFolder(async (folder) => {
    if (options.peer !== undefined && options.peer !== 'dcmview') {
      const peer = options.peer.replace(/\/$/, '');
      await withServer(options.folder ?? commonFolder(await readFiles(peer)), (ours) => measure(ours, peer, report));
      return;
    }
    const images = writeGrayImages(join(folder, 'ct'), Number(options.files), CT);
    await compressedImages(images.slice(0, 4), CT);
    const start = options.peer === 'dcmview' ? withDcmview(report) : withServer;
    await start(join(folder, 'ct'), (peer) => withServer(join(folder, 'ct'), (ours) => measure(ours, peer, report)));
  }),
);

async function withServer(folder: string, use: (url: string) => Promise<void>): Promise<void> {
  const server = await startServer(folder);
  try {
    await use(server.url);
    console.log(`memory of the server on ${server.url}: peak ${mb(server.memoryMb().peak)}`);
  } finally {
    await server.stop();
  }
}

/** Like `withServer`. */
function withDcmview(report: Report): typeof withServer {
  return async (folder, use) => {
    const command = findDcmview();
    if (command === undefined) return report.note('dcmview is absent: set DCMVIEW, or put it on PATH');
    const server = await startDcmview(command, folder);
    try {
      await use(server.url);
    } finally {
      await server.stop();
    }
  };
}

async function readFiles(baseUrl: string): Promise<readonly FileRecord[]> {
  const { files }: { files: FileRecord[] } = await (await fetch(`${baseUrl}/api/files`)).json();
  return files;
}

/** The deepest folder that contains all files. */
function commonFolder(files: readonly FileRecord[]): string {
  const [first, ...others] = files.map(({ path }) => path);
  if (first === undefined) throw new Error('the peer has no file');
  let folder = dirname(first);
  for (const path of others) while (relative(folder, path).startsWith('..')) folder = dirname(folder);
  return folder;
}

type Both = { readonly ours: string; readonly theirs: string };

async function measure(ours: string, theirs: string, report: Report): Promise<void> {
  const [ourFiles, theirFiles] = [await readFiles(ours), await readFiles(theirs)];
  const theirIndex = new Map(theirFiles.map(({ path, index }) => [path, index]));
  const shared = ourFiles.filter(({ path }) => theirIndex.has(path));
  report.note(`${ourFiles.length} files here, ${theirFiles.length} there, ${shared.length} on both`);
  const chosen = spread(
    shared.filter(({ support_state: state }) => state === 'renderable'),
    Number(options.files),
  );
  const about = (rest: string): Both[] =>
    chosen.map(({ index, path }) => ({
      ours: `${ours}/api/file/${index}${rest}`,
      theirs: `${theirs}/api/file/${theirIndex.get(path)}${rest}`,
    }));
  const list = (rest: string): Both[] =>
    Array.from({ length: LIST_ROUNDS }, () => ({ ours: `${ours}/api${rest}`, theirs: `${theirs}/api${rest}` }));
  // A window that the peer has not been asked for.
  const display = `/frame/0?wc=40&ww=${(400 + Math.random()).toFixed(6)}`;
  const table = report.table('Responses, p50');
  for (const [name, urls, cache] of [
    ['/files', list('/files')],
    ['/series', list('/series')],
    ['/info', about('/info')],
    ['/tags', about('/tags')],
    ['/references', about('/references')],
    ['display frame, MISS', about(display), 'MISS'],
    ['display frame, HIT', about(display), 'HIT'],
    ['raw frame, MISS', about('/frame/0/raw'), 'MISS'],
    ['raw frame, HIT', about('/frame/0/raw'), 'HIT'],
  ] as const) {
    const counts = { refusedHere: 0, refusedThere: 0 };
    const { negato, peer } = await interleave(urls.length, {
      negato: asking(
        urls.map(({ ours: url }) => url),
        cache,
        () => (counts.refusedHere += 1),
      ),
      peer: asking(
        urls.map(({ theirs: url }) => url),
        cache,
        () => (counts.refusedThere += 1),
      ),
    });
    table.row(name, {
      negato: negato === undefined ? 'none' : ms(negato.p50),
      peer: peer === undefined ? 'none' : ms(peer.p50),
      ratio: negato === undefined || peer === undefined ? '' : times(peer.p50, negato.p50),
      'measured and refused': `${negato?.count ?? 0} and ${counts.refusedHere}`,
      'by the peer': `${peer?.count ?? 0} and ${counts.refusedThere}`,
    });
  }
}

/** Picks `count` items, spread evenly over the list. */
function spread<Item>(list: readonly Item[], count: number): Item[] {
  const step = Math.max(1, list.length / count);
  return Array.from({ length: Math.min(count, list.length) }, (_, at) => list[Math.floor(at * step)]!);
}

/** Requests each URL once, in order. A refused response, or one from a cache when none was wanted, is not counted. */
function asking(urls: readonly string[], wantedCache: string | undefined, onRefused: () => void): Measure {
  const client = createClient();
  return async (round) => {
    const { tookMs, status, cache } = await client.ask(urls[round]!);
    if (round === urls.length - 1) client.close();
    if (status !== 200) onRefused();
    const isWanted = status === 200 && (wantedCache === undefined || cache === undefined || cache === wantedCache);
    return isWanted ? tookMs : undefined;
  };
}
