// npm run fuzz -- --cases 20000 --seed 1 [--server] [--resume FILE] [--save FOLDER]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type BaseFile, loadBaseFiles } from './baseFiles.ts';
import { buildCase } from './fuzzCase.ts';
import { type Finding, runReader } from './runReader.ts';
import { runServer } from './runServer.ts';

declare const NEGATO_ROOT: string;

/** A case that takes longer than this hangs, even on a busy machine. */
const HANGS_AFTER_MS = 60_000;

type Range = { readonly seed: number; readonly from: number; readonly to: number };
type Progress = { seed: number; next: number; findings: number };
type ThreadSetup = Range & { readonly current: Int32Array<SharedArrayBuffer> };

if (isMainThread) process.exitCode = await main();
else runThread();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '20000' },
      seed: { type: 'string', default: '1' },
      server: { type: 'boolean', default: false },
      resume: { type: 'string' },
      save: { type: 'string', default: join(NEGATO_ROOT, 'test/fuzz/seeds') },
    },
  });
  const progress: Progress = { seed: Number(values.seed), next: 0, findings: 0, ...readProgress(values.resume) };
  const { seed } = progress;
  const began = performance.now();
  const first = progress.next;
  const to = first + Number(values.cases);
  const save = (finding: Finding) => {
    progress.findings += 1;
    saveFinding(values.save, finding);
  };
  const advance = (next: number) => {
    progress.next = next;
    if (values.resume !== undefined) writeFileSync(values.resume, JSON.stringify(progress));
    const rate = (next - first) / ((performance.now() - began) / 1_000);
    process.stdout.write(`${next} cases, ${progress.findings} findings, ${rate.toFixed(0)} cases each second\n`);
  };
  const run = values.server ? runServer : watchReader;
  await run({ bases: loadBases(), seed, from: first, to, onFinding: save, onProgress: advance });
  return progress.findings === 0 ? 0 : 1;
}

function loadBases(): readonly BaseFile[] {
  const corpus = process.env['NEGATO_CORPUS'] ?? join(NEGATO_ROOT, '../shared/corpus');
  const streams = join(NEGATO_ROOT, 'test/fixtures/streams');
  return loadBaseFiles({ corpus: existsSync(corpus) ? corpus : undefined, streams });
}

function readProgress(path: string | undefined): Partial<Progress> {
  return path !== undefined && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}

function saveFinding(folder: string, { case: { seed, number, story, bytes }, failure }: Finding): void {
  const { kind, step, detail } = failure;
  console.log(`case ${number} of seed ${seed}: ${story}\n  ${kind} at ${step}: ${detail.slice(0, 1_000)}`);
  mkdirSync(folder, { recursive: true });
  if (bytes.length > 0) writeFileSync(join(folder, `${kind}-${seed}-${number}.dcm`), bytes);
}

type WatchedRun = Range & {
  readonly bases: readonly BaseFile[];
  readonly onFinding: (finding: Finding) => void;
  readonly onProgress: (next: number) => void;
};

/** Runs the cases in a thread. If a case hangs, the thread is ended and another continues with the next case. */
async function watchReader({ bases, seed, from, to, onFinding, onProgress }: WatchedRun): Promise<void> {
  for (let next = from; next < to;) {
    const current = new Int32Array(new SharedArrayBuffer(4)).fill(next);
    const setup: ThreadSetup = { seed, from: next, to, current };
    const thread = new Worker(fileURLToPath(import.meta.url), { workerData: setup });
    thread.on('message', onFinding);
    const died = await outliveThread(thread, current, onProgress);
    const reached = Atomics.load(current, 0);
    if (died === undefined) {
      next = to;
    } else {
      const failure = { kind: died.kind, step: 'thread', detail: died.detail };
      onFinding({ case: buildCase(seed, reached, bases), failure });
      next = reached + 1;
    }
    onProgress(next);
  }
}

type Death = { readonly kind: 'slow' | 'unforeseen_error'; readonly detail: string };

function outliveThread(
  thread: Worker,
  current: Int32Array,
  onProgress: (next: number) => void,
): Promise<Death | undefined> {
  return new Promise((settle) => {
    let seen = Atomics.load(current, 0);
    let told = seen;
    let movedAt = performance.now();
    const watch = setInterval(() => {
      const now = Atomics.load(current, 0);
      if (now !== seen) [seen, movedAt] = [now, performance.now()];
      if (now >= told + 5_000) {
        told = now;
        onProgress(now);
      }
      if (performance.now() - movedAt > HANGS_AFTER_MS) end({ kind: 'slow', detail: 'hangs' });
    }, 1_000);
    const end = (death: Death | undefined) => {
      clearInterval(watch);
      void thread.terminate();
      settle(death);
    };
    thread.once('error', (error: Error) => end({ kind: 'unforeseen_error', detail: error.stack ?? error.message }));
    thread.once('exit', () => end(undefined));
  });
}

function runThread(): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- watchReader sets it
  const { current, ...range } = workerData as ThreadSetup;
  runReader({
    ...range,
    bases: loadBases(),
    onCase: (number) => Atomics.store(current, 0, number),
    onFinding: (finding) => parentPort?.postMessage(finding),
  });
}
