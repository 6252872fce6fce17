// From process start to the first line on stdout, against a bare node:http server that prints its port; and the memory
// of the idle server after its scan: `npm run bench -- startup [--runs 15]`. See README.md beside this file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { withFolder } from './support/folder.ts';
import { interleave } from './support/measure.ts';
import { target, mb, ms, runBenchmark, SUITE_OPTIONS, times } from './support/report.ts';
import { startServer } from './support/server.ts';

declare const NEGATO_DIST: string;

const BARE_SERVER = `
import { createServer } from 'node:http';
const server = createServer((request, response) => response.end('ok'));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;
/** Target: at most this many times the start of the bare server. */
const SLOWEST = 1.5;
const MOST_MEMORY_MB = 90;

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, runs: { type: 'string', default: '15' } } });

await runBenchmark('startup', (report) =>
  withFolder(async (folder) => {
    const bare = join(folder, 'bare.mjs');
    writeFileSync(bare, BARE_SERVER);
    const input = join(folder, 'not-dicom.txt');
    writeFileSync(input, 'no DICOM here');
    const command = [join(NEGATO_DIST, 'negato.js'), '--startup-json', '--no-browser', input];
    const { negato, peer } = await interleave(Number(options.runs), {
      negato: () => startMs(command),
      peer: () => startMs([bare]),
    });
    if (negato === undefined || peer === undefined) return;
    report.table('Start').row('time until it listens', {
      negato: ms(negato.p50),
      'bare node:http': ms(peer.p50),
      ratio: times(peer.p50, negato.p50),
      target: target(`at most ${SLOWEST} times as long`, negato.p50 / peer.p50 <= SLOWEST),
    });
    const server = await startServer(input);
    await delay(2_000);
    const { now } = server.memoryMb();
    await server.stop();
    report.table('Memory').row('idle', { negato: mb(now), target: target(mb(MOST_MEMORY_MB), now < MOST_MEMORY_MB) });
  }),
);

async function startMs(args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  const took = performance.now() - began;
  child.kill('SIGKILL');
  await once(child, 'close');
  return took;
}
