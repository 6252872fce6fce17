// npm run kills -- --times 500 [--verdicts 10] [--busy 2] [--seed 1] [--dist FOLDER]
import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RoiBox } from '../../src/shared/contract/annotations.ts';
import type { ReviewResponse } from '../../src/shared/contract/review.ts';
import { createRandom, type Random } from '../fuzz/random.ts';
import { type BuiltServer, startBuiltServer } from '../support/builtServer.ts';
import { type Edits, type KeptValue, startEdits } from './killEdits.ts';
import { listKillFiles, writeKillFiles } from './killFiles.ts';
import { formsOf } from './killForms.ts';

/**
 * Starts the built command on redacted, marked and reviewed files, edits at random, kills it at a random moment and starts it
 * again. Every acknowledged edit and verdict must be there, and no redacted pixel may be sent, from the first answer on.
 */
const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '500' },
    /** Verdicts that are acknowledged before each kill, at least. */
    verdicts: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    /** Processes that only use up processor time. */
    busy: { type: 'string', default: '0' },
    /** The folder of the built command, to compare with another build. */
    dist: { type: 'string' },
  },
});

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'negato-kills-')));
writeKillFiles(join(folder, 'data'));
const FILES = listKillFiles();
const problems: string[] = [];
const counts = { edits: 0, verdicts: 0, covered: 0, refused: 0, unlisted: 0, other: 0, verified: 0, killedAtStart: 0 };
/** What a later run must have: redactions and ROIs by file, marks by uid. */
const kept: Edits = { redactions: new Map(), rois: new Map(), marks: new Map(), verdicts: new Map() };
const busy = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);

const LONGEST_EDITS_MS = 30_000;
const startMs = performance.now();
let killed = 0;
try {
  for (; killed < Number(values.times); killed += 1) {
    await runOnce(createRandom(Number(values.seed), killed), killed);
    if ((killed + 1) % 25 === 0) console.log(`${killed + 1} kills: ${JSON.stringify(counts)}`);
    if (problems.length > 20) break;
  }
} finally {
  for (const one of busy) one.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
if (counts.edits === 0 || counts.verdicts === 0) problems.push('nothing was acknowledged, so nothing could be lost');
const seconds = Math.round((performance.now() - startMs) / 1000);
console.log(`${killed} kills in ${seconds} s with seed ${values.seed}: ${JSON.stringify(counts)}`);
for (const problem of problems) console.log(problem);
console.log(problems.length === 0 ? 'nothing was lost, and nothing was uncovered' : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function runOnce(random: Random, number: number): Promise<void> {
  const fail = (what: string) => problems.push(`kill ${number}: ${what}`);
  const isAsked = random.chance(0.5);
  const review = ['--review', join(folder, 'verdicts.jsonl'), '--reader', 'anna', '--units', 'file'];
  const args = [...(isAsked ? [] : ['--restore']), ...review, '--dicomweb', '--port', '0', join(folder, 'data')];
  const env = { XDG_STATE_HOME: join(folder, 'state') };
  const server =
    values.dist === undefined ? await startBuiltServer(args, env) : await startBuiltServer(args, env, values.dist);
  const ending = new AbortController();
  const looking = Array.from({ length: 3 }, (_, n) => lookEarly(server, createRandom(number, n), ending.signal, fail));
  try {
    // Some runs end while they read what the one before has left.
    if (random.chance(0.25)) {
      counts.killedAtStart += 1;
      await new Promise((next) => setTimeout(next, random.below(400)));
      return;
    }
    await verify(server, isAsked, fail);
    counts.verified += 1;
    const edits = startEdits(server.baseUrl, kept, {
      random,
      fail,
      onEdit: () => (counts.edits += 1),
      onVerdict: () => (counts.verdicts += 1),
    });
    // On a busy machine, a run that only waits would end before its first edit.
    const enough = counts.edits + 1 + random.below(8);
    const enoughVerdicts = counts.verdicts + Number(values.verdicts);
    const endMs = performance.now() + LONGEST_EDITS_MS;
    do await new Promise((next) => setTimeout(next, 50 + random.below(500)));
    while ((counts.edits < enough || counts.verdicts < enoughVerdicts) && performance.now() < endMs);
    edits.stop();
  } finally {
    process.kill(server.pid, 'SIGKILL');
    ending.abort();
    await Promise.all(looking);
    while (!server.hasEnded()) await new Promise((next) => setTimeout(next, 2));
  }
}

/** Asks for what must be covered, in many ways, from the moment the server answers. */
async function lookEarly(
  server: BuiltServer,
  random: Random,
  signal: AbortSignal,
  fail: (what: string) => void,
): Promise<void> {
  while (!signal.aborted) {
    const covered = listCovered();
    if (covered.length === 0) return;
    const { index, box, frame } = random.pick(covered);
    const file = FILES[index]!;
    const form = random.pick(formsOf(file));
    try {
      const response = await fetch(`${server.baseUrl}${form.path(file, box, frame)}`, { signal });
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (response.status === 404) counts.unlisted += 1;
      else if (response.status === 403 || response.status === 503) counts.refused += 1;
      else if (response.status !== 200) counts.other += 1;
      // It may have been replaced meanwhile by an edit of this run.
      else if (!listCovered().some((one) => one.index === index && String(one.box) === String(box))) continue;
      else if (form.isCovered(bytes, file, box)) counts.covered += 1;
      else fail(`${form.path(file, box, frame)} shows box ${box.join()} of frame ${frame}`);
    } catch (error) {
      if (!signal.aborted && !server.hasEnded() && process.exitCode === undefined)
        counts.other += Number(Boolean(error));
      if (server.hasEnded()) return;
    }
  }
}

type Covered = { readonly index: number; readonly box: RoiBox; readonly frame: number };

/** Boxes that are in the acknowledged redactions, and in those that may have replaced them. */
function listCovered(): readonly Covered[] {
  return [...kept.redactions].flatMap(([index, { acknowledged, underway }]) => {
    const sets = [acknowledged, ...underway].map((value) => new Set<string>(value === null ? [] : JSON.parse(value)));
    const [first = new Set<string>(), ...others] = sets;
    const common = [...first].filter((one) => others.every((set) => set.has(one)));
    return common.map((one): Covered => {
      const [box, [frame = 0]]: [RoiBox, number[]] = JSON.parse(one);
      return { index, box, frame };
    });
  });
}

/** Everything that was acknowledged is there, restored or offered; the journals have been read. */
async function verify(server: BuiltServer, isAsked: boolean, fail: (what: string) => void): Promise<void> {
  const ask = async (path: string, init?: RequestInit) => (await fetch(`${server.baseUrl}${path}`, init)).json();
  for (const what of ['annotations', 'marks', 'redactions']) {
    for (let tries = 0; ; tries += 1) {
      const { searched = true, unread = [], kept: offered } = await ask(`/api/${what}/journal`);
      if (unread.length > 0) fail(`a journal of ${what} was not read: ${JSON.stringify(unread)}`);
      if (searched && isAsked && offered !== null && offered !== undefined && what !== 'redactions') {
        const headers = { 'Content-Type': 'application/json' };
        await ask(`/api/${what}/journal`, { method: 'PUT', headers, body: '{"action":"restore"}' });
      }
      if (searched) break;
      if (tries > 600) return fail(`the journals of ${what} were never searched`);
      await new Promise((next) => setTimeout(next, 50));
    }
  }
  for (const [store, what] of [
    [kept.redactions, 'redactions'],
    [kept.rois, 'annotations'],
  ] as const) {
    for (const [index, value] of store) {
      const { roi_coords, roi_frames } = await ask(`/api/file/${index}/${what}`);
      const boxes = roi_coords.map((box: RoiBox, at: number) => JSON.stringify([box, roi_frames[at] ?? []]));
      check(value, JSON.stringify(boxes.toSorted()), (text) => fail(`${what} of file ${index}: ${text}`));
    }
  }
  const askReview = async (): Promise<ReviewResponse['review']> => (await ask('/api/review?limit=1000')).review;
  let review = await askReview();
  for (let tries = 0; review?.is_complete !== true && tries < 600; tries += 1) {
    await new Promise((next) => setTimeout(next, 50));
    review = await askReview();
  }
  for (const { instance, decision } of review?.units ?? []) {
    const value = kept.verdicts.get(instance ?? '');
    if (value === undefined && decision !== null) fail(`unit ${instance} has a verdict that nobody gave`);
    if (value === undefined) continue;
    const found = decision === null ? null : `${decision.verdict} ${decision.comment}`;
    check(value, found, (text) => fail(`verdict of ${instance}: ${text}`));
  }
  const { marks } = await ask('/api/marks');
  const found = new Map<string, unknown>(marks.map((mark: { uid?: string }) => [mark.uid, mark]));
  for (const [uid, value] of kept.marks) {
    const mark = found.get(uid);
    check(value, mark === undefined ? null : describeMark(mark), (text) => fail(`mark ${uid}: ${text}`));
  }
}

/** The value is what was acknowledged, or what was on its way when the process ended. */
function check(value: KeptValue, actual: string | null, fail: (text: string) => void): void {
  if (![value.acknowledged, ...value.underway].includes(actual)) {
    fail(
      `it is ${actual?.slice(0, 300)}, not ${value.acknowledged?.slice(0, 300)} or one of ${value.underway.length} others`,
    );
  }
  value.acknowledged = actual;
  value.underway = [];
}

/** What must be the same in the next run. */
function describeMark(mark: unknown): string {
  const { kind, place, points, slices, label, class: key, comment }: Record<string, unknown> = Object(mark);
  return JSON.stringify([kind, place, points, slices ?? [], label, key, comment]);
}
