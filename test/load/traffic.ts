import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HealthResponse } from '../../src/shared/contract/health.ts';
import { type BuiltServer, listFiles, residentBytes, startBuiltServer } from '../support/builtServer.ts';
import { loadBaseFiles } from '../fuzz/baseFiles.ts';
import { buildCase } from '../fuzz/fuzzCase.ts';
import type { Random } from '../fuzz/random.ts';

declare const NEGATO_ROOT: string;

export type TrafficServer = BuiltServer & {
  /** Indices of valid files, and of mutated files. */
  readonly sound: readonly number[];
  readonly hostile: readonly number[];
  readonly remove: () => Promise<void>;
};

/** One request in this many is about a hostile file. */
const HOSTILE = 50;

/** The built command on a folder of generated files, both valid and mutated. */
export async function startTrafficServer(
  seed: number,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<TrafficServer> {
  const bases = loadBaseFiles({ corpus: undefined, streams: join(NEGATO_ROOT, 'test/fixtures/streams') });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'negato-load-')));
  for (const [number, { bytes }] of bases.entries()) {
    writeFileSync(join(folder, `sound-${number}.dcm`), bytes);
    writeFileSync(join(folder, `hostile-${number}.dcm`), buildCase(seed, number, bases).bytes);
  }
  const server = await startBuiltServer([...flags, folder], env);
  const files = await listFiles(server.baseUrl);
  const sound = files.filter(({ path, has_pixels }) => path.includes('/sound-') && has_pixels);
  const hostile = files.filter(({ path }) => path.includes('/hostile-'));
  return {
    ...server,
    sound: sound.map(({ index }) => index),
    hostile: hostile.map(({ index }) => index),
    async remove() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Number of responses by status and error code: `200`, `500 pixel_decode_failed`, `no answer`. */
export type Tally = Map<string, number>;

export function count(tally: Tally, outcome: string): void {
  tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
}

/** One request like those of viewers: mostly frames, otherwise tags and other information. */
export async function askOnce({ baseUrl, sound, hostile }: TrafficServer, random: Random, tally: Tally): Promise<void> {
  const index = random.pick(random.below(HOSTILE) === 0 ? hostile : sound);
  const path = random.chance(0.75)
    ? random.pick(['frame/0/raw', `frame/0?wc=${random.below(500)}&ww=${1 + random.below(900)}`, 'frame/0/thumbnail'])
    : random.pick(['tags', 'info', 'references', 'semantic-context']);
  await tell(tally, () => fetch(`${baseUrl}/api/file/${index}/${path}`));
}

/** Sends a request, reads the response and counts it. */
export async function tell(tally: Tally, request: () => Promise<Response>): Promise<void> {
  try {
    const response = await request();
    if (response.ok) {
      await response.arrayBuffer();
      count(tally, String(response.status));
    } else {
      const { code }: { code?: string } = await response.json();
      count(tally, `${response.status} ${code}`);
    }
  } catch {
    count(tally, 'no answer');
  }
}

/** Writes the ROIs of one file and reads them back. The server must have everything that it has confirmed. */
export async function writeAndRead(
  { baseUrl }: TrafficServer,
  index: number,
  random: Random,
): Promise<'kept' | 'lost' | 'refused'> {
  const url = `${baseUrl}/api/file/${index}/annotations`;
  // Every image has a first pixel; the number of boxes distinguishes one write from another.
  const boxes = Array.from({ length: 1 + random.below(50) }, () => [0, 0, 1, 1]);
  const body = JSON.stringify({ num_roi: boxes.length, roi_coords: boxes, roi_frames: [] });
  const headers = { 'Content-Type': 'application/json' };
  const isConfirmed = await fetch(url, { method: 'PUT', headers, body }).then(
    async (response) => (await response.arrayBuffer()) && response.ok,
    () => false,
  );
  if (!isConfirmed) return 'refused';
  for (;;) {
    const read = await fetch(url).then(
      (response): Promise<{ num_roi: number }> => response.json(),
      () => undefined,
    );
    if (read !== undefined) return read.num_roi === boxes.length ? 'kept' : 'lost';
  }
}

export type Sample = {
  readonly atMs: number;
  readonly healthMs: number;
  readonly bytes: number;
  /** Memory reserved by decodes, as a fraction of their limit. */
  readonly decodeShare: number;
};

/** Requests health on its own persistent connection and reads memory, twice a second until it is stopped. */
export function watchServer({ baseUrl, pid }: BuiltServer): { readonly samples: Sample[]; readonly stop: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const samples: Sample[] = [];
  let isBusy = false;
  const ask = () => {
    if (isBusy) return;
    isBusy = true;
    const atMs = performance.now();
    const add = (healthMs: number, decodeShare: number) => {
      samples.push({ atMs, healthMs, bytes: residentBytes(pid), decodeShare });
      isBusy = false;
    };
    get(`${baseUrl}/api/health?detail=decode`, { agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => add(performance.now() - atMs, decodeShareOf(text)));
    }).on('error', () => add(Infinity, NaN));
  };
  // Immediately, because all connections may be in use later, and this one is kept open.
  ask();
  const timer = setInterval(ask, 500);
  return {
    samples,
    stop() {
      clearInterval(timer);
      agent.destroy();
    },
  };
}

function decodeShareOf(health: string): number {
  const { decode }: HealthResponse = JSON.parse(health);
  return decode === undefined ? NaN : decode.reserved_bytes / decode.budget_bytes;
}

/**
 * Megabytes per hour, by least squares over the minimum of every minute after the first half, which is warm-up. Between
 * two garbage collections memory rises and falls by tens of megabytes, which is not significant.
 */
export function slopeOf(samples: readonly Sample[]): number {
  const known = samples.slice(Math.floor(samples.length / 2)).filter(({ bytes }) => Number.isFinite(bytes));
  const leastOfMinute = new Map<number, Sample>();
  for (const sample of known) {
    const minute = Math.floor(sample.atMs / 60_000);
    const least = leastOfMinute.get(minute);
    if (least === undefined || sample.bytes < least.bytes) leastOfMinute.set(minute, sample);
  }
  const late = [...leastOfMinute.values()];
  const hours = late.map(({ atMs }) => atMs / 3_600_000);
  const megabytes = late.map(({ bytes }) => bytes / 2 ** 20);
  const [meanHours, meanMegabytes] = [mean(hours), mean(megabytes)];
  const covariance = mean(hours.map((hour, i) => (hour - meanHours) * (megabytes[i]! - meanMegabytes)));
  return covariance / mean(hours.map((hour) => (hour - meanHours) ** 2));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Prints the results. Returns true if a rule was broken that a busy machine does not excuse. */
export function report(tally: Tally, samples: readonly Sample[]): boolean {
  for (const [outcome, times] of [...tally].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`  ${outcome.padEnd(34)} ${times}`);
  const times = samples.map(({ healthMs }) => healthMs).toSorted((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? NaN).toFixed(1);
  const memory = samples.map(({ bytes }) => bytes / 2 ** 20).filter(Number.isFinite);
  console.log(`health: ${times.length} asked, median ${at(0.5)} ms, p99 ${at(0.99)} ms (mark: 50)`);
  console.log(`memory: ${memory[0]?.toFixed(0)} MB at first, ${Math.max(...memory).toFixed(0)} at most`);
  console.log(`        ${slopeOf(samples).toFixed(1)} MB an hour after warm-up (mark: 2 over an hour)`);
  const shares = samples.map(({ decodeShare }) => decodeShare).filter(Number.isFinite);
  const largest = Math.max(...shares);
  console.log(`decode: ${(100 * largest).toFixed(0)} % of the budget at most, in ${shares.length} samples`);
  return tally.has('write lost') || tally.has('500 internal_error') || largest > 1;
}
