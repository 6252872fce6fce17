// How fast frames are served over HTTP, against Orthanc's rendered frames and the one-shot tools of DCMTK and GDCM, on
// the same files in the same run: `npm run bench -- frames [--images 240]`. See README.md beside this file.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createBareClient } from './support/bareClient.ts';
import { startBareServer } from './support/bareServer.ts';
import { withFolder } from './support/folder.ts';
import { compressedImages, writeGrayImages, writeSlide } from './support/frameFiles.ts';
import type { Client } from './support/bareClient.ts';
import { interleave, type Measure, timeRequests, type Times } from './support/measure.ts';
import { type Orthanc, startOrthanc } from '../test/support/orthanc.ts';
import { target, mb, ms, type Report, runBenchmark, SUITE_OPTIONS, type Table, times } from './support/report.ts';
import { readAddresses, startServer } from './support/server.ts';

const CT = [512, 512] as const;
const CT_WINDOW = { center: 40, width: 400 };
const MAMMOGRAM = [4000, 3000] as const;
/** Typical of mammograms: one window over most of the detector's range. */
const MAMMOGRAM_WINDOW = { center: 1024, width: 2048 };
const MAMMOGRAM_ELEMENTS = { Modality: 'MG', WindowCenter: '1024', WindowWidth: '2048', RescaleIntercept: '0' };
const SLIDE_TILES = 20_000;
const COMPRESSED_IMAGES = 18;
const WARM_UP_ROUNDS = 24;
/**
 * Each contender gets a share of the files in each round, in sequence as when a user scrolls: the first response after
 * a pause would measure how long the machine takes to wake up.
 */
const ROUNDS = 6;
/**
 * Number of passes over all files, for a MISS each with another window: a shared machine runs at half speed for a
 * second or two at a time, and all contenders must be measured in both states.
 */
const PASSES = 4;
const HIT_ROUNDS = 20;
/** Starting one process of a tool per frame is slow, so there are few rounds. */
const TOOL_ROUNDS = 5;

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, images: { type: 'string', default: '240' } } });

await runBenchmark('frames', (report) =>
  withFolder(async (folder) => {
    const images = Number(options.images);
    const files = join(folder, 'files');
    const ct = writeGrayImages(join(files, 'ct'), images, CT);
    const mammograms = writeGrayImages(join(files, 'mg'), 6, MAMMOGRAM, MAMMOGRAM_ELEMENTS);
    const slide = writeSlide(join(files, 'slide.dcm'), SLIDE_TILES);
    const compressed = new Map([
      ...(await compressedImages(ct.slice(0, COMPRESSED_IMAGES), CT)),
      ...(await compressedImages(mammograms.slice(0, 3), MAMMOGRAM)),
    ]);
    const orthanc = await startOrthanc(folder);
    const server = await startServer(files);
    const client = createBareClient();
    try {
      const addresses = await readAddresses(server.url);
      const urlsOf = (paths: readonly string[], rest = '') =>
        paths.map((path) => `${addresses.get(path)}/frame/0${rest}`);
      // Brings threads and compiled code to their state after the first minute of use.
      for (let round = 1; round <= WARM_UP_ROUNDS; round += 1) {
        await timeRequests(urlsOf(ct, `?wc=0&ww=${round * 100}`), 'MISS');
        await timeRequests(urlsOf(ct, `?wc=0&ww=${round * 100}`), 'HIT');
      }
      const contenders = { client, orthanc, folder, urlsOf };
      const table = report.table('Frames, p50');
      await measureSize(table, '512 x 512', {
        ...contenders,
        paths: ct,
        window: CT_WINDOW,
        target: 6,
        mostMs: 3,
        hitMs: 0.15,
      });
      await measureSize(table, '4000 x 3000', {
        ...contenders,
        paths: mammograms,
        window: MAMMOGRAM_WINDOW,
        target: 25,
      });
      await measureSyntaxes(report, compressed, contenders);
      if (slide !== undefined) await measureTiles(report, addresses.get(slide)!);
      report.table('Memory of the server').row('peak', { negato: mb(server.memoryMb().peak) });
    } finally {
      client.close();
      await server.stop();
      await orthanc?.close();
    }
  }),
);

type Contenders = {
  readonly client: Client;
  readonly orthanc: Orthanc | undefined;
  readonly folder: string;
  readonly urlsOf: (paths: readonly string[], rest?: string) => string[];
};

type Size = Contenders & {
  readonly paths: readonly string[];
  /** The window that the files declare. */
  readonly window: { readonly center: number; readonly width: number };
  /** Target: how many times faster than Orthanc a display frame must be, and how long it may take. */
  readonly target: number;
  readonly mostMs?: number;
  readonly hitMs?: number;
};

async function measureSize(table: Table, name: string, size: Size): Promise<void> {
  const { paths, urlsOf, orthanc, client, folder, window, mostMs = Infinity, hitMs } = size;
  const passes = Array.from({ length: PASSES }, (_, pass) => `?wc=${window.center}&ww=${window.width + pass}`);
  const rendered = await renderedUrls(client, orthanc, paths);
  const { negato, peer, dcm2pnm, gdcmraw } = await interleave(ROUNDS * PASSES, {
    negato: asking(
      client,
      passes.flatMap((query) => urlsOf(paths, query)),
      'MISS',
    ),
    peer: asking(
      client,
      passes.flatMap(() => rendered),
    ),
    dcm2pnm: runningTool('dcm2pnm', (path) => ['--write-png', '+Wi', '1', path, join(folder, 'picture')], paths),
    gdcmraw: runningTool('gdcmraw', (path) => ['-i', path, '-o', join(folder, 'picture')], paths),
  });
  if (negato === undefined) throw new Error('nothing was measured');
  const display = `${name}, display MISS`;
  table.row(display, {
    negato: ms(negato.p50),
    p99: ms(negato.p99),
    target: targetOf(negato, peer, size.target, mostMs),
  });
  for (const [peerName, took] of [
    ["Orthanc's /rendered", peer],
    ['dcm2pnm, one process', dcm2pnm],
    ['gdcmraw, one process', gdcmraw],
  ] as const) {
    const cells = took === undefined ? { peer: 'absent' } : { peer: ms(took.p50), ratio: times(took.p50, negato.p50) };
    table.row(`${name}, against ${peerName}`, cells);
  }
  await measureHits(table, `${name}, display HIT`, urlsOf(paths, passes.at(-1)), client, hitMs);
  const raw = await timeRequests(urlsOf(paths, '/raw'), 'MISS');
  table.row(`${name}, raw MISS`, { negato: ms(raw.p50), p99: ms(raw.p99) });
  await measureHits(table, `${name}, raw HIT`, urlsOf(paths, '/raw'), client);
  const small = await timeRequests(urlsOf(paths, '/thumbnail'), 'MISS');
  table.row(`${name}, thumbnail MISS`, { negato: ms(small.p50), p99: ms(small.p99) });
}

/** The peer only sends the same number of bytes, so it shows the part of Node and the loopback in a HIT. */
async function measureHits(
  table: Table,
  name: string,
  urls: readonly string[],
  client: Client,
  mostMs?: number,
): Promise<void> {
  const bare = await startBareServer((await client.ask(urls[0]!)).bytes);
  const { negato, peer } = await interleave(HIT_ROUNDS, {
    negato: () => askAll(client, urls, 'HIT'),
    peer: () =>
      askAll(
        client,
        urls.map(() => bare.url),
      ),
  });
  bare.stop();
  if (negato === undefined || peer === undefined) throw new Error('nothing was measured');
  const limit = mostMs === undefined ? {} : { target: target(`${mostMs} ms`, negato.p50 <= mostMs) };
  table.row(name, { negato: ms(negato.p50), p99: ms(negato.p99), ...limit });
  table.row(`${name}, against a bare node:http server`, { peer: ms(peer.p50), ratio: times(peer.p50, negato.p50) });
}

function targetOf(ours: Times, peer: Times | undefined, factor: number, mostMs: number): string {
  const isAhead = peer === undefined || peer.p50 / ours.p50 >= factor;
  const limits = [`${factor} times Orthanc`, ...(mostMs < Infinity ? [`${mostMs} ms`] : [])];
  return target(limits.join(' and '), isAhead && ours.p50 <= mostMs);
}

/** Requests the next of equal shares of the URLs in each round. */
function asking(client: Client, urls: readonly string[], expectedCache?: string, rounds = ROUNDS * PASSES): Measure {
  const share = Math.ceil(urls.length / rounds);
  return (round) => askAll(client, urls.slice(round * share, (round + 1) * share), expectedCache);
}

async function askAll(client: Client, urls: readonly string[], expectedCache?: string): Promise<number[]> {
  const took: number[] = [];
  for (const url of urls) {
    const { tookMs, status, cache } = await client.ask(url);
    if (status !== 200) throw new Error(`${url} answered ${status}`);
    if (expectedCache !== undefined && cache !== expectedCache) throw new Error(`${url} is a ${cache}`);
    took.push(tookMs);
  }
  return took;
}

/** Stores the files in Orthanc and returns the URLs of its pictures; none if it cannot draw them. */
async function renderedUrls(client: Client, orthanc: Orthanc | undefined, paths: readonly string[]): Promise<string[]> {
  const urls: string[] = [];
  for (const path of orthanc === undefined ? [] : paths) urls.push(await orthanc!.store(path));
  const { status } = urls[0] === undefined ? {} : await client.ask(urls[0]);
  return status === 200 ? urls : [];
}

function runningTool(
  tool: string,
  toArguments: (path: string) => readonly string[],
  paths: readonly string[],
): Measure {
  const isThere = spawnSync(tool, ['--version']).error === undefined;
  return (round) => {
    if (!isThere || round >= TOOL_ROUNDS) return undefined;
    const began = performance.now();
    spawnSync(tool, toArguments(paths[round]!));
    return performance.now() - began;
  };
}

/** A raw frame that is a HIT after a display frame shows that all windows cost one decode. */
async function measureSyntaxes(
  report: Report,
  compressed: ReadonlyMap<string, readonly string[]>,
  { client, orthanc, urlsOf }: Contenders,
): Promise<void> {
  const table = report.table('Compressed frames, p50');
  for (const [name, all] of compressed) {
    // A third is reserved for raw frames, because display frames leave the samples of the others in the cache.
    const paths = all.slice(0, Math.floor((all.length * 2) / 3));
    const apart = all.slice(paths.length);
    const { negato, peer } = await interleave(ROUNDS, {
      negato: asking(client, urlsOf(paths), 'MISS', ROUNDS),
      peer: asking(client, await renderedUrls(client, orthanc, paths), undefined, ROUNDS),
    });
    if (negato === undefined) continue;
    const windows = [100, 200, 300, 500].flatMap((width) => urlsOf(paths, `?wc=40&ww=${width}`));
    table.row(name, {
      'display MISS': ms(negato.p50),
      'Orthanc /rendered': peer === undefined ? 'absent' : ms(peer.p50),
      ratio: peer === undefined ? '' : times(peer.p50, negato.p50),
      'display HIT': ms((await timeRequests(urlsOf(paths), 'HIT')).p50),
      'each of four more windows': ms((await timeRequests(windows, 'MISS')).p50),
      'then raw HIT': ms((await timeRequests(urlsOf(paths, '/raw'), 'HIT')).p50),
      'raw MISS': ms((await timeRequests(urlsOf(apart, '/raw'), 'MISS')).p50),
    });
  }
}

async function measureTiles(report: Report, address: string): Promise<void> {
  const table = report.table(`A slide of ${SLIDE_TILES} tiles without offset table, p50`);
  const tile = (number: number) => `${address}/frame/${number}`;
  const last = await timeRequests([tile(SLIDE_TILES - 1)], 'MISS');
  table.row('last tile, requested first', { negato: ms(last.p50) });
  const tiles = Array.from({ length: 100 }, (_, i) => tile((i * 7_919) % (SLIDE_TILES - 1)));
  for (const cache of ['MISS', 'HIT'] as const) {
    const took = await timeRequests(tiles, cache);
    table.row(`other tiles, ${cache}`, { negato: ms(took.p50), p99: ms(took.p99) });
  }
}
