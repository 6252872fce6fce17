// npm run check:long [-- --seed N] [--rounds N]: what takes too long for `npm run check`. Property-based tests try new
// cases, in several rounds; fault tests end threads and processes at more moments; JPEG 2000 streams are damaged; files are mutated; a server with unsaved
// work is killed; `npm run dev` is tried; and each hostile file is sent through each endpoint. Everything random depends on the seed, which is printed first.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { seed: { type: 'string' }, rounds: { type: 'string', default: '5' } },
});
const seed = Number(values.seed ?? randomInt(2 ** 31));
const rounds = Array.from({ length: Number(values.rounds) }, (_, round) => seed + round);

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const bundled = join(root, 'scripts/runBundled.mjs');
/** @type {{ name: string, command: string[], env?: Record<string, string> }[]} */
const steps = [
  { name: 'build', command: [join(root, 'scripts/build.mjs')] },
  ...rounds.map((ofRound) => ({
    name: `property-based tests, --seed ${ofRound} --rounds 1`,
    command: [vitest, 'run', ...listPropertyTests()],
    env: { NEGATO_SEED: String(ofRound), NEGATO_SEQUENCES: '500' },
  })),
  {
    name: `50,000 sequences of what two tabs do with marks and ROIs, NEGATO_SEED=${seed}`,
    command: [vitest, 'run', 'test/marks/tabs.test.ts'],
    env: { NEGATO_SEED: String(seed), NEGATO_SEQUENCES: '50000' },
  },
  {
    name: `fault tests, NEGATO_FAULT_SEED=${seed}`,
    command: [vitest, 'run', 'test/faults'],
    env: { NEGATO_FAULT_RUNS: '100', NEGATO_FAULT_SEED: String(seed) },
  },
  {
    name: `damaged JPEG 2000, NEGATO_SEED=${seed}`,
    command: [vitest, 'run', 'test/pixels/damagedJ2k.test.ts'],
    env: { NEGATO_SEED: String(seed), NEGATO_DAMAGED_STREAMS: '2000' },
  },
  {
    name: 'streams that are cut at more places',
    command: [vitest, 'run', 'src/server/images/pixels/cutStreams.test.ts'],
    env: { NEGATO_CUTS: '200' },
  },
  {
    name: 'hostile files, each through every endpoint',
    command: [vitest, 'run', 'test/hostile'],
    env: { NEGATO_EVERY_ENDPOINT: '1' },
  },
  { name: 'tests that take long', command: [vitest, 'run', '--project', 'long'], env: { NEGATO_LONG: '1' } },
  { name: 'mutated files', command: [bundled, 'test/fuzz/command.ts', '--cases', '50000', '--seed', String(seed)] },
  { name: 'kills', command: [bundled, 'test/load/kills.ts', '--times', '100', '--seed', String(seed)] },
  { name: 'survey of hostile files', command: [bundled, 'test/load/attack.ts', '--survey'] },
];

console.log(`seed ${seed}`);
// A step that fails does not keep the others from running.
const failed = steps.filter(({ name, command, env }) => {
  console.log(`\n${name}`);
  const { status } = spawnSync(process.execPath, command, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status !== 0;
});
console.log(`\nseed ${seed}: ${failed.length === 0 ? 'all passed' : `${failed.length} of ${steps.length} failed`}`);
for (const { name } of failed) console.log(`failed: ${name}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function listPropertyTests() {
  return ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => /\.test\.tsx?$/.test(path) && readFileSync(join(root, path), 'utf8').includes("'fast-check'")),
  );
}
