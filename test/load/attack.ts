// npm run attack -- --operations 250000 [--minutes 60] [--memory 256M] [--clients 32] [--seed 1] [--survey]
//   [--only REGEXP] [--endpoints REGEXP] [--keep FOLDER]
// npm run attack -- --users [--rounds 60] [--seconds 60], as root: another user of the host attacks (users.ts)
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { DICOMWEB_NAMES } from '../../src/shared/contract/dicomweb.ts';
import { ENDPOINT_NAMES, ENDPOINTS, type Endpoint, type EndpointName } from '../../src/shared/contract/endpoints.ts';
import { ERROR_STATUS } from '../../src/shared/contract/errorStatus.ts';
import type { HealthResponse } from '../../src/shared/contract/health.ts';
import { MARK_EXPORT_FORMATS, MARK_IMPORT_FORMATS, MARK_VOLUME_FORMATS } from '../../src/shared/markFormats.ts';
import { createRandom, type Random } from '../fuzz/random.ts';
import { VOLUME_WAIT_MS } from '../../src/server/machine/workers/askWhileBusy.ts';
import { RETURN_FREED_MEMORY } from '../support/allocator.ts';
import { type BuiltServer, listFiles, startBuiltServer } from '../support/builtServer.ts';
import { listAttackFiles } from './attackFiles.ts';
import { survey } from './survey.ts';
import { bodyOf, dicomwebAddress, type Named, type Target } from './surveyRequests.ts';
import { count, type Tally, watchServer } from './traffic.ts';
import { attackAsOtherUser } from './users.ts';

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '10000' },
    /** The run ends after this time, even with operations left. */
    minutes: { type: 'string', default: '60' },
    clients: { type: 'string', default: '32' },
    memory: { type: 'string' },
    seed: { type: 'string', default: '1' },
    /** Asks every endpoint about each small hostile file and set of files, and measures each answer (survey.ts). */
    survey: { type: 'boolean', default: false },
    /** Another user takes ports, connects and looks for files (users.ts). */
    users: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '60' },
    /** Only files whose names match this regular expression. */
    only: { type: 'string', default: '' },
    /** Of a survey, only endpoints whose names match this regular expression. */
    endpoints: { type: 'string', default: '' },
    /**
     * Folder for the files, which the next run reuses, because some take a second to generate. Of a survey, it gets the
     * files of each case that fails.
     */
    keep: { type: 'string' },
  },
});

/** Limit for the time without a byte of an answer, whatever else runs. */
const LONGEST_SILENCE_MS = 15_000;
/** What no page asks for again, and where marks are in the patient: they wait while the server is busy (askWhileBusy.ts). */
const WAIT_THEMSELVES =
  /^(?:disturbed )?(?:nifti|niftiSidecar|volumeArray|volumeArrayPlan|labelVolume|labelPlan|labelMarks|compare|markVolume|convertMarks|importMarks|markStatistics)\b/;

const PEAK_STEP_KIB = 16 * 1_024;
const PATIENCE_MS = 120_000;

const ABOUT_A_FILE = ENDPOINT_NAMES.filter((name) => /:(?:index|layer)/.test(ENDPOINTS[name].path));
const ABOUT_ALL = ENDPOINT_NAMES.filter((name) => !ABOUT_A_FILE.includes(name) && name !== 'events');

const HOSTILE_TEXTS = [
  '',
  '-1',
  '1e309',
  'NaN',
  '0x10',
  '99999999999999999999',
  '../../etc/passwd',
  '%00',
  '%2e%2e%2f',
  '%',
  '\u{1f4a3}',
  'a'.repeat(6_000),
  '0,'.repeat(2_000),
  '*'.repeat(1_000),
  "'--",
  '__proto__',
  'constructor',
  '<script>',
];
const HOSTILE_VALUES: readonly unknown[] = [
  null,
  -1,
  1e308,
  2 ** 53,
  '',
  [],
  {},
  [[]],
  true,
  '\u0000',
  { __proto__: 1 },
  'x'.repeat(70_000),
  Array.from({ length: 5_000 }, () => 0),
  [[1e308, -1e308]],
  '../../etc/passwd',
  { constructor: { prototype: 1 } },
];
const HOSTILE_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { Range: 'bytes=0-' },
  { Range: `bytes=${'0-1,'.repeat(900)}5-` },
  { Range: 'bytes=-999999999999999999' },
  { 'If-Match': '*' },
  { 'If-Match': '"1"' },
  { 'If-None-Match': 'W/"x",'.repeat(700) },
  { Origin: 'http://evil.example' },
  { Origin: 'null' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { Accept: 'image/jpeg;q=x' },
  { Accept: ','.repeat(3_000) },
  { 'Accept-Encoding': 'gzip;q=2, *;q=-1' },

  { 'Content-Type': 'text/plain' },
  { 'Content-Encoding': 'gzip' },
  { Authorization: `Bearer ${'b'.repeat(5_000)}` },
  { Cookie: 'a=b; '.repeat(800) },
  { 'X-HTTP-Method-Override': 'DELETE' },
  { Expect: '100-continue' },
];
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

const PLANE = 'position=0,0,0&orientation=1,0,0,0,1,0&spacing=1,1&rows=64&columns=64';

const only = new RegExp(values.only);
if (values.users) {
  const isLost = await attackAsOtherUser({ rounds: Number(values.rounds), floodSeconds: Number(values.seconds) });
  process.exit(isLost ? 1 : 0);
}
if (values.survey) {
  const { endpoints, memory, keep } = values;
  process.exit((await survey({ only, endpoints: new RegExp(endpoints), memory, keep })) ? 1 : 0);
}

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'negato-attack-'));
const sizes = writeFiles();
const hashes = hashInputs();
const flags = values.memory === undefined ? [] : ['--memory', values.memory];
const begun = performance.now();
const server = await startBuiltServer(['--no-token', '--dicomweb', ...flags, folder], RETURN_FREED_MEMORY);
const agent = new Agent({ keepAlive: true });
let isBroken = false;
try {
  const files = (await listFiles(server.baseUrl)).filter(({ path }) => only.test(basename(path)));
  console.log(
    `${files.length} of ${sizes.size} files open after ${((performance.now() - begun) / 1_000).toFixed(1)} s`,
  );
  console.log(`at the scan: ${memoryLine(server)}`);
  const named = files.map((file) => ({
    index: file.index,
    name: basename(file.path),
    kind: file.modality ?? '',
    space: file.frame_of_reference_uid ?? '1.2.3',
    uids: [file.study_instance_uid, file.series_instance_uid, file.sop_instance_uid].map((uid) => uid ?? '1.2.3'),
  }));
  isBroken = await storm(named);
  if (isBroken) console.log(`the end of its log:\n${server.log().slice(-3_000)}`);
} finally {
  if (server.hasEnded()) console.log(`THE SERVER HAS ENDED\n${server.log().slice(-3_000)}`);
  isBroken ||= server.hasEnded();
  agent.destroy();
  await server.stop();
  // Whatever was asked, input files are never written.
  const after = hashInputs();
  const changed = [...hashes].filter(([name, hash]) => after.get(name) !== hash).map(([name]) => name);
  if (changed.length > 0 || after.size !== hashes.size) console.log(`INPUT FILES HAVE CHANGED: ${changed.join(', ')}`);
  isBroken ||= changed.length > 0 || after.size !== hashes.size;
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exitCode = isBroken ? 1 : 0;

function writeFiles(): ReadonlyMap<string, number> {
  mkdirSync(folder, { recursive: true });
  const written = new Map<string, number>();
  for (const { name, write } of listAttackFiles().filter((file) => only.test(file.name))) {
    const file = `${name.replaceAll(/[^\w(), -]/g, '_')}.dcm`;
    const path = join(folder, file);
    if (!existsSync(path)) writeFileSync(path, write());
    written.set(file, readFileSync(path).length);
  }
  return written;
}

function hashInputs(): ReadonlyMap<string, string> {
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  return new Map(readdirSync(folder).map((name) => [name, hash(name)]));
}

function familyOf({ name }: Named): string | undefined {
  return name.split(' ', 1)[0];
}

/** Many concurrent clients request any of the files; some disconnect before the answer arrives. */
async function storm(files: readonly Named[]): Promise<boolean> {
  // Some families have hundreds of files; all families are chosen equally often.
  const families = [...new Set(files.map(familyOf))].map((family) => files.filter((file) => familyOf(file) === family));
  const operations = Number(values.operations);
  const tally: Tally = new Map();
  const problems: Tally = new Map();
  const waited = new Map<string, { ms: number; times: number }>();
  const watch = watchServer(server);
  let done = 0;
  let longest = { ms: 0, what: '' };
  let longestWaitMs = 0;
  const inFlight = new Set<string>();
  let peakKib = statusOf(server.pid, 'VmHWM');
  // A new peak is logged with the requests that were running.
  const peaks = setInterval(() => {
    const kib = statusOf(server.pid, 'VmHWM');
    if (!(kib > peakKib + PEAK_STEP_KIB)) return;
    const running = [...inFlight].join('\n    ');
    const grown = `at most ${mib(kib)}, ${mib(kib - peakKib)} more`;
    peakKib = kib;
    void accountLine().then((held) => console.log(`${grown}; ${held}; while these ran:\n    ${running}`));
  }, 50);
  const started = performance.now();
  const endMs = started + Number(values.minutes) * 60_000;
  const run = async (client: number) => {
    const random = createRandom(Number(values.seed), client);
    while (done < operations && performance.now() < endMs && !server.hasEnded()) {
      done += 1;
      if (done % 1_000 === 0) console.log(`${done} operations, ${memoryLine(server)}`);
      const picked = pickRequest(random, families);
      const { url, what } = picked;
      const leaveAfterMs = random.chance(0.1) ? random.below(200) : undefined;
      const running = `${what}, ${url} (client ${client})`;
      inFlight.add(running);
      const answer = await ask(picked, leaveAfterMs);
      inFlight.delete(running);
      const { ms, silentMs } = answer;
      if (WAIT_THEMSELVES.test(what)) longestWaitMs = Math.max(longestWaitMs, silentMs);
      else if (silentMs > longest.ms) longest = { ms: silentMs, what };
      if (silentMs > LONGEST_SILENCE_MS) {
        console.log(`${(silentMs / 1_000).toFixed()} s without a byte of ${running}: ${answer.outcome}`);
      }
      count(tally, answer.outcome);
      const sum = waited.get(what) ?? { ms: 0, times: 0 };
      waited.set(what, { ms: sum.ms + ms, times: sum.times + 1 });
      if (answer.problem !== undefined) count(problems, `${what}: ${answer.problem}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.clients) }, (_, client) => run(client)));
  watch.stop();
  clearInterval(peaks);
  for (const [outcome, times] of [...tally].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`  ${outcome.padEnd(34)} ${times}`);
  for (const [problem, times] of [...problems].slice(0, 40)) console.log(`  PROBLEM ${times} x ${problem}`);
  const slowest = [...waited].toSorted(([, a], [, b]) => b.ms - a.ms).slice(0, 25);
  for (const [what, { ms, times }] of slowest) console.log(`  ${(ms / 1_000).toFixed(1)} s in ${times} x ${what}`);
  const health = watch.samples.map(({ healthMs }) => healthMs).toSorted((a, b) => a - b);
  const at = (share: number) => (health[Math.floor(health.length * share)] ?? NaN).toFixed(1);
  const seconds = (performance.now() - started) / 1_000;
  console.log(`${done} operations in ${seconds.toFixed()} s, ${server.hasEnded() ? 1 : 0} exits`);
  console.log(`longest time without a byte: ${longest.ms.toFixed()} ms (${longest.what})`);
  console.log(`of requests that wait while the server is busy: ${longestWaitMs.toFixed()} ms`);
  console.log(`health: ${health.length} asked, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(0.999_999)} ms`);
  if (!server.hasEnded()) console.log(memoryLine(server));
  return problems.size > 0 || longest.ms > LONGEST_SILENCE_MS || longestWaitMs > VOLUME_WAIT_MS + LONGEST_SILENCE_MS;
}

type Wish = {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};
type Picked = Wish & { readonly what: string };

function pickRequest(random: Random, families: readonly (readonly Named[])[]): Picked {
  const family = random.pick(families);
  const file = random.pick(family);
  const other = random.pick(random.chance(0.5) ? family : random.pick(families));
  const frame = random.chance(0.7) ? 0 : random.pick([1, 2, 77, 65_536, 4_000_000, 399_999_999]);
  if (random.chance(0.05)) {
    const name = random.pick(DICOMWEB_NAMES);
    return { method: 'GET', url: dicomwebAddress(name, file, frame), what: `${name} of "${file.name}"` };
  }
  if (random.chance(0.75)) return disturb(random, { file, other, frame, window: query(random) });
  const isAboutAll = random.chance(0.05);
  const endpoint = random.pick(isAboutAll ? ABOUT_ALL : ABOUT_A_FILE);
  const { method } = ENDPOINTS[endpoint];
  const target = { file, other, frame, window: query(random) };
  return { method, ...addressOf(endpoint, target), what: isAboutAll ? endpoint : `${endpoint} of "${file.name}"` };
}

/** A request of any endpoint of which one part is hostile: the path, the query, the body, the method or a header. */
function disturb(random: Random, target: AttackTarget): Picked {
  const endpoint = random.pick(ENDPOINT_NAMES.filter((name) => name !== 'events'));
  const { method } = ENDPOINTS[endpoint];
  const { url, body } = addressOf(endpoint, target);
  const [path = '', search = ''] = url.split('?');
  const what = `disturbed ${endpoint}`;
  const text = encodeURI(random.pick(HOSTILE_TEXTS)).replaceAll('%25', '%');
  const part = random.below(5);
  if (part === 0) {
    const steps = path.split('/');
    steps[2 + random.below(steps.length - 2)] = text;
    return { method, url: steps.join('/') + (search && `?${search}`), body, what };
  }
  if (part === 1) {
    const pairs = search === '' ? ['frame=0', 'at=0'] : search.split('&');
    const at = random.below(pairs.length);
    pairs[at] = random.chance(0.3) ? text : `${pairs[at]!.split('=', 1)[0]}=${text}`;
    return { method, url: `${path}?${pairs.join('&')}`, body, what };
  }
  if (part === 2 && body !== undefined) {
    const value = random.pick(HOSTILE_VALUES);
    const key = random.pick([...Object.keys(body), 'uid', 'label', 'class', 'action', 'comment', 'slices', 'ticket']);
    return { method, url, body: random.chance(0.2) ? value : { ...body, [key]: value }, what };
  }
  if (part === 3) return { method: random.pick(METHODS), url, body: random.chance(0.5) ? body : undefined, what };
  return { method, url, body, headers: random.pick(HOSTILE_HEADERS), what };
}

/** A random window, so that caches do not have the answer. */
function query(random: Random): string {
  return random.chance(0.5) ? '' : `wc=${random.below(1_000)}&ww=${1 + random.below(4_000)}`;
}

type AttackTarget = Target & { readonly window: string };

function addressOf(
  endpoint: EndpointName,
  { file, other, frame, window }: AttackTarget,
): { readonly url: string; readonly body: object | undefined } {
  const over = `file=${other.index}&frame=${frame}`;
  const queries: Partial<Record<EndpointName, string>> = {
    displayFrame: window === '' ? `presentation=${other.index}` : window,
    rawPixel: 'row=0&column=0',
    tagSelect: 'path=(0028,1050)',
    tags: 'depth=8&items=64',
    volume: `frame=${frame}`,
    volumeValue: `frame=${frame}&at=0,0,0`,
    displayPlane: `frame=${frame}&${PLANE}`,
    rawPlane: `frame=${frame}&${PLANE}&slab=40`,
    planeThumbnail: `frame=${frame}&${PLANE}`,
    layers: over,
    layerFrame: over,
    layerOverPlane: `frame_of_reference=${other.space}&${PLANE}`,
    layerRegion: `file=${other.index}&x=0&y=0&width=4000&height=4000&pixel=4`,
    dvh: `dose=${other.index}`,
    registrations: `frame_of_reference=${other.space}`,
    markVolume: `format=${pickBy(other, MARK_VOLUME_FORMATS)}`,
    convertMarks: `format=${pickBy(other, MARK_EXPORT_FORMATS)}`,
    importMarks: `format=${pickBy(other, MARK_IMPORT_FORMATS)}&file=${file.index}`,
  };
  const path = ENDPOINTS[endpoint].path
    .replace(/:(?:index|layer)/, String(file.index))
    .replace(/:(?:frame|group|spectrum|medium)/, String(frame))
    .replace(':unit', String(other.index))
    .replace(/:mark|:request/, String(1 + (other.index % 99)));
  const url = `/api${path}${queries[endpoint] ? `?${queries[endpoint]}` : ''}`;
  const { body }: Endpoint = ENDPOINTS[endpoint];
  return { url, body: body && bodyOf(endpoint, { file, other, frame }) };
}

/** One of several, a different one for different files. */
function pickBy<Value>({ index }: Named, choices: readonly Value[]): Value {
  return choices[index % choices.length]!;
}

type Answer = { readonly outcome: string; readonly bytes: number; readonly problem?: string };
/** A whole study may take long to send, but its client must never wait for long. */
type TimedAnswer = Answer & { readonly ms: number; readonly silentMs: number };

async function ask({ method, url, body, headers: more }: Wish, leaveAfterMs?: number): Promise<TimedAnswer> {
  const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const startedMs = performance.now();
  let heardMs = startedMs;
  let silentMs = 0;
  const hear = () => {
    const now = performance.now();
    silentMs = Math.max(silentMs, now - heardMs);
    heardMs = now;
  };
  const answer = await new Promise<Answer>((resolve) => {
    let hasLeft = false;
    const about = sent && { 'Content-Type': 'application/json', 'Content-Length': sent.length };
    const headers = { ...about, ...more };
    const asked = request(
      server.baseUrl + url,
      { agent, method, headers, timeout: PATIENCE_MS },
      (response) => void readAnswer(method, response, hear).then(resolve, fail),
    );
    const fail = (error: unknown) =>
      resolve(hasLeft ? { outcome: 'left', bytes: 0 } : { outcome: 'no answer', bytes: 0, problem: String(error) });
    asked.on('timeout', () => asked.destroy(new Error(`nothing for ${PATIENCE_MS} ms`)));
    asked.on('error', fail);
    asked.end(sent);
    if (leaveAfterMs !== undefined) {
      const timer = setTimeout(() => {
        hasLeft = true;
        asked.destroy();
      }, leaveAfterMs);
      asked.on('close', () => clearTimeout(timer));
    }
  });
  hear();
  return { ...answer, ms: heardMs - startedMs, silentMs };
}

async function readAnswer(method: string, response: IncomingMessage, hear: () => void): Promise<Answer> {
  let bytes = 0;
  const kept: Buffer[] = [];
  for await (const chunk of response) {
    const piece: Buffer = chunk;
    hear();
    bytes += piece.length;
    if (bytes < 10_000) kept.push(piece);
  }
  const { statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 300) return { outcome: String(statusCode), bytes };
  if (bytes === 0 && (statusCode === 304 || method === 'HEAD')) return { outcome: String(statusCode), bytes };
  const { code = '' }: { code?: string } = JSON.parse(Buffer.concat(kept).toString());
  const expected = Object.entries(ERROR_STATUS).find(([each]) => each === code)?.[1];
  const outcome = `${statusCode} ${code}`;
  const isWrong = expected !== statusCode || code === 'internal_error' || code === 'decode_timeout';
  return { outcome, bytes, ...(isWrong && { problem: outcome }) };
}

/** What the account of memory holds for each use, in MiB. */
async function accountLine(): Promise<string> {
  const response = await fetch(`${server.baseUrl}/api/health?detail=decode`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of our own server
  const { memory } = (await response.json()) as HealthResponse;
  const held = memory?.uses.filter(({ held_bytes }) => held_bytes >= 2 ** 20) ?? [];
  return held.map(({ use, held_bytes }) => `${use} ${mib(held_bytes / 1_024)}`).join(', ');
}

function mib(kib: number): string {
  return `${(kib / 1_024).toFixed()} MiB`;
}

function memoryLine({ pid }: BuiltServer): string {
  return `resident ${mib(statusOf(pid, 'VmRSS'))}, at most ${mib(statusOf(pid, 'VmHWM'))}`;
}

function statusOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  try {
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return NaN;
  }
}
