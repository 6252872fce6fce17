// From process start to the first line on stdout, against a bare node:http server that prints its port; and the memory
// of the idle server after its scan. Run from the root of the repository: node bench/run.mjs startup [RUNS]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const BARE_SERVER = `
import { createServer } from 'node:http';
const server = createServer((request, response) => response.end('ok'));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;
/** Mark: the start of the bare server times this. */
const SLOWEST = 1.5;
const MOST_MEMORY_MB = 90;

const runs = Number(process.argv[2] ?? 25);
const folder = await mkdtemp(join(tmpdir(), 'negato-bench-'));
try {
  const bare = join(folder, 'bare.mjs');
  await writeFile(bare, BARE_SERVER);
  await writeFile(join(folder, 'not-dicom.txt'), 'no DICOM here');
  const negato = [resolve('dist/negato.js'), '--startup-json', '--no-browser', join(folder, 'not-dicom.txt')];

  const times = { bare: [] as number[], negato: [] as number[] };
  for (let run = 0; run < runs; run++) {
    // Interleaved, and in turn first, so that what else the machine does hits both alike.
    const pair = [
      async () => times.bare.push(await startMs([bare])),
      async () => times.negato.push(await startMs(negato)),
    ];
    for (const measure of run % 2 === 0 ? pair : pair.toReversed()) await measure();
  }
  const factor = median(times.negato) / median(times.bare);
  console.log(`start, median of ${runs}: bare node:http ${ms(times.bare)}, negato ${ms(times.negato)}`);
  console.log(`negato takes ${factor.toFixed(2)} times as long (mark: ${SLOWEST}): ${verdict(factor <= SLOWEST)}`);

  const memory = await idleMegabytes(negato);
  console.log(
    `idle after the scan: ${memory.toFixed(0)} MB (mark: ${MOST_MEMORY_MB}): ${verdict(memory < MOST_MEMORY_MB)}`,
  );
} finally {
  await rm(folder, { recursive: true });
}

async function startMs(args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  const took = performance.now() - began;
  child.kill('SIGKILL');
  await once(child, 'close');
  return took;
}

async function idleMegabytes(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('scan_complete')) break;
  await delay(2_000);
  const kilobytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' }));
  child.kill('SIGTERM');
  await once(child, 'close');
  return kilobytes / 1024;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function ms(values: readonly number[]): string {
  return `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;
}

function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'MISSED';
}
