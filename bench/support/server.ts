import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cpuMsOf, type Memory, memoryMbOf } from './processes.ts';

declare const NEGATO_DIST: string;

export type BenchServer = {
  readonly url: string;
  /** Time from listening until `until` is reached: the duration of the scan if that is `scanned`. */
  readonly scanMs: number;
  readonly memoryMb: () => Memory;
  /** Processor time so far. */
  readonly cpuMs: () => number;
  readonly stop: () => Promise<void>;
};

type StartOptions = {
  readonly until?: 'listening' | 'scanned';
  readonly env?: NodeJS.ProcessEnv;
  /** Further options of the command. */
  readonly args?: readonly string[];
};

/**
 * Starts the built server on a folder, or on what its options name, and waits until it has found all files; or, with `until: 'listening'`, until it
 * listens.
 */
export async function startServer(
  path: string | undefined,
  { until = 'scanned', env = {}, args: more = [] }: StartOptions = {},
): Promise<BenchServer> {
  const paths = path === undefined ? [] : [path];
  const args = [join(NEGATO_DIST, 'negato.js'), '--no-browser', '--port', '0', '--startup-json', ...more, ...paths];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...env } });
  let url: string | undefined;
  let listeningAt = performance.now();
  for await (const line of createInterface({ input: child.stdout })) {
    const listening = /"base_url":"([^"]+)"/.exec(line)?.[1];
    if (url === undefined && listening !== undefined) [url, listeningAt] = [listening, performance.now()];
    if (line.includes('scan_complete') || (until === 'listening' && url !== undefined)) break;
  }
  if (url === undefined) throw new Error('the server did not say where it listens');
  const scanMs = performance.now() - listeningAt;
  return {
    url,
    scanMs,
    memoryMb: () => memoryMbOf(child.pid ?? 0),
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/** Addresses of the files, by path. */
export async function readAddresses(baseUrl: string): Promise<ReadonlyMap<string, string>> {
  const response = await fetch(`${baseUrl}/api/files`);
  const { files }: { files: { index: number; path: string }[] } = await response.json();
  return new Map(files.map(({ index, path }) => [path, `${baseUrl}/api/file/${index}`]));
}
