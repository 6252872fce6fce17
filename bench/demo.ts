// How long the demo study takes to write, and how long it holds up the event loop meanwhile. Marks: 3 s, 10 ms.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { writeDemoStudy } from '../src/demo/writeDemoStudy.ts';

const RESOLUTION_MS = 1;

for (let round = 1; round <= 5; round++) {
  const folder = mkdtempSync(join(tmpdir(), 'negato-demo-bench-'));
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  await writeDemoStudy(folder);
  const wallMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(folder, name)));
  const bytes = files.filter((file) => file.isFile()).reduce((sum, { size }) => sum + size, 0);
  console.log(
    `round ${round}: ${Math.round(wallMs)} ms, ${Math.round((user + system) / 1000)} ms of processor time, ` +
      `${(bytes / 1e6).toFixed(1)} MB, event loop late by at most ${(delay.max / 1e6 - RESOLUTION_MS).toFixed(1)} ms`,
  );
  rmSync(folder, { recursive: true });
}
