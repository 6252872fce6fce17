import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

declare const NEGATO_DIST: string;

export type BenchServer = {
  readonly url: string;
  /** Memory of the process now, and the most that it ever had. NaN where the system does not say. */
  readonly memoryMb: () => { readonly now: number; readonly peak: number };
  readonly stop: () => Promise<void>;
};

/** The built server over a folder, when it has found all files; or, `until: 'listening'`, as soon as it listens. */
export async function startServer(
  path: string,
  { until = 'scanned' }: { readonly until?: 'listening' | 'scanned' } = {},
): Promise<BenchServer> {
  const args = [join(NEGATO_DIST, 'negato.js'), '--no-browser', '--port', '0', '--startup-json', path];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /"base_url":"([^"]+)"/.exec(line)?.[1];
    if (line.includes('scan_complete') || (until === 'listening' && url !== undefined)) break;
  }
  if (url === undefined) throw new Error('the server did not say where it listens');
  return {
    url,
    memoryMb: () => readMemoryMb(child.pid),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/** By path. */
export async function readAddresses(baseUrl: string): Promise<ReadonlyMap<string, string>> {
  const response = await fetch(`${baseUrl}/api/files`);
  const { files }: { files: { index: number; path: string }[] } = await response.json();
  return new Map(files.map(({ index, path }) => [path, `${baseUrl}/api/file/${index}`]));
}

function readMemoryMb(pid: number | undefined): { now: number; peak: number } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1024;
    return { now: field('VmRSS'), peak: field('VmHWM') };
  } catch {
    return { now: Number.NaN, peak: Number.NaN };
  }
}
