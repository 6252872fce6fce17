import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { cpuMsOf } from './processes.ts';
import type { BenchServer } from './server.ts';

/** The command of dcmview: from the variable `DCMVIEW`, or found on PATH. Undefined if it is not installed. */
export function findDcmview(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = [process.env.DCMVIEW, ...folders.map((folder) => join(folder, 'dcmview'))];
  return places.find((place) => place !== undefined && existsSync(place));
}

/** Starts dcmview on a folder, and waits until it listens and, unless told otherwise, has found all files. */
export async function startDcmview(
  command: string,
  folder: string,
  { until = 'scanned' }: { readonly until?: 'listening' | 'scanned' } = {},
): Promise<Pick<BenchServer, 'url' | 'cpuMs' | 'stop'>> {
  const child = spawn(command, ['--no-browser', '--no-token', folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  let url: string | undefined;
  let isScanned = false;
  // It may report its files before its address.
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /(http:\/\/[^"/\s]+)/.exec(line)?.[1];
    isScanned ||= /loaded \d+ DICOM/.test(line);
    if (url !== undefined && (isScanned || until === 'listening')) break;
  }
  if (url === undefined) throw new Error('dcmview did not say where it listens');
  return {
    url,
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}
