import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { HOSTILE_FILES } from '../hostile/hostileFiles.ts';
import { RETURN_FREED_MEMORY } from '../support/allocator.ts';
import { type BuiltServer, listFiles, startBuiltServer } from '../support/builtServer.ts';
import { listSurveyRequests, type Named, SURVEY_NAMES, type SurveyName, type SurveyRequest } from './surveyRequests.ts';
import { SURVEY_SETS } from './surveySets.ts';

/** Limits for one request about a file, or a set of files, of at most 64 KiB. */
const MOST_PROCESSOR_MS = 2_000;
const MOST_GROWN_BYTES = 100e6;
const SMALL_BYTES = 65_536;
/** The sets of registrations have a little more than one small file. */
const MOST_SET_BYTES = 90_000;
const PATIENCE_MS = 300_000;
/** A stream has no end: what it costs to begin it is measured. */
const STREAM_MS = 200;
const LISTED = 25;
/** A line is written after so many requests, because a run takes hours. */
const PROGRESS = 250;

/** Files whose requests have every choice of their queries. The others are many, and alike. */
const WITH_EVERY_CHOICE = /^(long work|structure sets|registrations|regions|declared counts|plans)/;

export type SurveyOptions = {
  /** Of the names of files and sets. */
  readonly only: RegExp;
  readonly endpoints: RegExp;
  readonly memory?: string | undefined;
  /** Folder for the files of each case that fails. */
  readonly keep?: string | undefined;
};

type Opened = { readonly name: string; readonly write: () => Uint8Array };
type Group = { readonly name: string; readonly files: readonly Opened[]; readonly isSet: boolean };
type Cost = { readonly processorMs: number; readonly grownBytes: number; readonly outcome: string };
type Measured = Cost & { readonly what: string; readonly url: string };

/**
 * Sends one request at a time, so that each measurement belongs to one request: every endpoint of the contract, about
 * every hostile file and every set. What is above a limit is measured again in a server that has nothing else. Returns
 * whether anything is above a limit then, or an endpoint was never reached.
 */
export async function survey({ only, endpoints, memory = '2G', keep }: SurveyOptions): Promise<boolean> {
  const singles = Object.entries(HOSTILE_FILES).flatMap(([family, files]) =>
    files.map(({ name, write }) => ({ name: `${family} ${name}`.replaceAll(/[^\w(), -]/g, '_'), write })),
  );
  const groups: Group[] = [
    { name: 'hostile files', isSet: false, files: singles.filter(({ name }) => only.test(name)) },
    ...SURVEY_SETS.filter(({ name }) => only.test(name)).map(({ name, write }) => ({
      name,
      isSet: true,
      files: write().map((bytes, at) => ({ name: `${name} ${at}`, write: () => bytes })),
    })),
  ];
  const measured: Measured[] = [];
  const reached = new Set<SurveyName>();
  const problems: string[] = [];
  for (const group of groups) {
    await withServer(group, memory, async ({ server, named, sizes, folder }) => {
      const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
      if (group.isSet && total > MOST_SET_BYTES) problems.push(`the set "${group.name}" has ${total} bytes`);
      const all = [...listRequests(named, group.isSet)].filter(({ endpoint }) => endpoints.test(endpoint));
      for (const [at, { endpoint, file, other, request }] of all.entries()) {
        if (at % PROGRESS === 0) console.log(`${group.name}: ${at} of ${all.length}, ${new Date().toISOString()}`);
        const first = await measure(server, request, endpoint);
        const isSmall = group.isSet || (sizes.get(file.name) ?? 0) <= SMALL_BYTES;
        // The cost of what else the server does is measured, too, so that a high one has to be seen twice.
        const isFinal = isGood(first, isSmall) || /no answer/.test(first.outcome);
        const cost = isFinal ? first : await measureAlone(group, { endpoint, file, other, request }, memory);
        if (!/^(?:400|404) (?:invalid|not_found|bad_request)/.test(cost.outcome)) reached.add(endpoint);
        const what = `${endpoint} of "${group.isSet ? group.name : file.name}"`;
        if (isSmall) measured.push({ ...cost, what, url: request.url });
        if (isGood(cost, isSmall) && !server.hasEnded()) continue;
        const problem = `${what}: ${server.hasEnded() ? 'the server has ended' : describe(cost)}, ${request.url}`;
        problems.push(problem);
        console.log(`FAILED ${problem}`);
        if (keep !== undefined) keepFiles(folder, group.isSet ? undefined : file.name, join(keep, group.name));
        if (server.hasEnded()) return;
      }
    });
  }
  const worst = measured.toSorted((a, b) => b.processorMs - a.processorMs).slice(0, LISTED);
  for (const one of worst) console.log(`  ${describe(one)}  ${one.what}  ${one.url.slice(0, 120)}`);
  if ([only, endpoints].every(({ source }) => source === '(?:)')) {
    for (const name of SURVEY_NAMES) if (!reached.has(name)) problems.push(`${name} was never reached`);
  }
  for (const problem of problems) console.log(`FAILED ${problem}`);
  console.log(
    `${measured.length} requests, ${reached.size} of ${SURVEY_NAMES.length} endpoints, ${problems.length} failures`,
  );
  return problems.length > 0;
}

type Asked = {
  readonly endpoint: SurveyName;
  readonly file: Named;
  readonly other: Named;
  readonly request: SurveyRequest;
};

/** The files of a case, or one of them, to look at after the run. */
function keepFiles(folder: string, name: string | undefined, into: string): void {
  mkdirSync(into, { recursive: true });
  if (name === undefined) cpSync(folder, into, { recursive: true });
  else cpSync(join(folder, name), join(into, name));
}

/**
 * Requests that change something come last; those that are the same for every file are asked once. Those about a set
 * have every choice, and every pair of its first files of each kind.
 */
function* listRequests(named: readonly Named[], isSet: boolean): Generator<Asked> {
  const asked = new Set<string>();
  const some = isSet ? someOfEachKind(named) : named;
  for (const reads of [true, false]) {
    for (const file of some) {
      const hasEveryChoice = isSet || WITH_EVERY_CHOICE.test(file.name);
      for (const endpoint of SURVEY_NAMES) {
        for (const other of isSet ? some : [file]) {
          const all = listSurveyRequests(endpoint, { file, other, frame: 0 });
          if ((all[0]?.method === 'GET') !== reads) continue;
          for (const request of hasEveryChoice ? all : all.slice(0, 1)) {
            const isAboutIt = request.url.includes(String(file.index));
            const key = `${request.method} ${request.url} ${isAboutIt ? JSON.stringify(request.body) : ''}`;
            if (asked.has(key)) continue;
            asked.add(key);
            yield { endpoint, file, other, request };
          }
        }
      }
    }
  }
}

/** Two, because sets have many files of one kind, which are alike. */
function someOfEachKind(named: readonly Named[]): readonly Named[] {
  return named.filter(({ kind }, at) => named.slice(0, at).filter((one) => one.kind === kind).length < 2);
}

function isGood({ processorMs, grownBytes, outcome }: Cost, isSmall: boolean): boolean {
  if (/internal_error|decode_timeout|no answer/.test(outcome)) return false;
  return !isSmall || (processorMs <= MOST_PROCESSOR_MS && grownBytes <= MOST_GROWN_BYTES);
}

function describe({ processorMs, grownBytes, outcome }: Cost): string {
  return `${processorMs.toFixed()} ms of processor, ${(grownBytes / 1e6).toFixed()} MB more, ${outcome}`;
}

type OpenedGroup = {
  readonly server: BuiltServer;
  readonly named: readonly Named[];
  readonly sizes: ReadonlyMap<string, number>;
  readonly folder: string;
};

async function withServer(
  { files }: Group,
  memory: string,
  use: (opened: OpenedGroup) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'negato-survey-'));
  try {
    const sizes = new Map<string, number>();
    mkdirSync(folder, { recursive: true });
    for (const { name, write } of files) {
      const bytes = write();
      writeFileSync(join(folder, name), bytes);
      sizes.set(name, bytes.length);
    }
    const flags = ['--no-token', '--dicomweb', '--memory', memory, folder];
    const server = await startBuiltServer(flags, RETURN_FREED_MEMORY);
    try {
      const named = (await listFiles(server.baseUrl)).map((file) => ({
        index: file.index,
        name: basename(file.path),
        kind: file.modality ?? '',
        space: file.frame_of_reference_uid ?? '1.2.3',
        uids: [file.study_instance_uid, file.series_instance_uid, file.sop_instance_uid].map((uid) => uid ?? '1.2.3'),
      }));
      await use({ server, named, sizes, folder });
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In a server of its own, which has only this file or set; the same request is sent about the same files. */
async function measureAlone(group: Group, { endpoint, file, other, request }: Asked, memory: string): Promise<Cost> {
  const files = group.isSet ? group.files : group.files.filter(({ name }) => name === file.name);
  const at = listSurveyRequests(endpoint, { file, other, frame: 0 }).findIndex(({ url }) => url === request.url);
  let cost: Cost | undefined;
  await withServer({ ...group, files }, memory, async ({ server, named }) => {
    const [its, others] = [file, other].map(({ name }) => named.find((one) => one.name === name));
    const target = its && others && { file: its, other: others, frame: 0 };
    const same = target && listSurveyRequests(endpoint, target)[at];
    if (same !== undefined) cost = await measure(server, same, endpoint);
  });
  if (cost === undefined) throw new Error(`${request.url} cannot be asked again about "${file.name}"`);
  return cost;
}

async function measure({ baseUrl, pid }: BuiltServer, request: SurveyRequest, endpoint: SurveyName): Promise<Cost> {
  const before = { processorMs: processorMsOf(pid), bytes: memoryOf(pid, 'VmRSS') };
  resetPeak(pid);
  const outcome = await ask(baseUrl, request, endpoint);
  const grownBytes = memoryOf(pid, 'VmHWM') - before.bytes;
  return { processorMs: processorMsOf(pid) - before.processorMs, grownBytes, outcome };
}

async function ask(
  baseUrl: string,
  { method, url, body }: SurveyRequest,
  endpoint: SurveyName,
  isFirst = true,
): Promise<string> {
  const signal = AbortSignal.timeout(endpoint === 'events' ? STREAM_MS : PATIENCE_MS);
  try {
    const headers = body && { 'Content-Type': 'application/json' };
    const sent = body && JSON.stringify(body);
    const response = await fetch(baseUrl + url, {
      method,
      signal,
      ...(headers && { headers }),
      ...(sent && { body: sent }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.ok) return String(response.status);
    const { code = '' }: { code?: string } = JSON.parse(Buffer.from(bytes).toString());
    return `${response.status} ${code}`;
  } catch (error) {
    // The server closes connections that were idle for long, perhaps just when one of them is used again.
    if (isFirst && error instanceof TypeError) return ask(baseUrl, { method, url, body }, endpoint, false);
    return endpoint === 'events' && signal.aborted ? 'left' : `no answer: ${String(error)}`;
  }
}

/** What is resident, or was at most since the last `resetPeak`. */
function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  return 1_024 * Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readStatus(pid, 'status'))?.[1]);
}

/** Memory that is freed before the answer ends counts, too: Linux begins a new peak (proc(5), clear_refs). */
function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The process has ended, which the request finds out.
  }
}

/** Processor time of all threads, which Linux counts in ticks of 10 ms. */
function processorMsOf(pid: number): number {
  const fields = readStatus(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function readStatus(pid: number, name: 'stat' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
