import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ServerStarted } from '../../src/cli/startupLines.ts';
import type { FileRecord } from '../../src/shared/contract/files.ts';

declare const NEGATO_DIST: string;

/** The built command in a separate process, for programs that are not tests. */
export type BuiltServer = {
  readonly baseUrl: string;
  readonly pid: number;
  /** Everything that the process has written so far. */
  readonly log: () => string;
  readonly hasEnded: () => boolean;
  readonly stop: () => Promise<void>;
};

export async function startBuiltServer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  dist = NEGATO_DIST,
): Promise<BuiltServer> {
  const command = [join(dist, 'negato.js'), '--startup-json', '--no-browser', ...args];
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => (log += `${line}\n`));
  const [first] = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
  if (typeof first !== 'string') throw new Error(`negato ended with ${first}: ${log}`);
  const started: ServerStarted = JSON.parse(first);
  return {
    baseUrl: started.base_url,
    pid: child.pid ?? 0,
    log: () => log,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    stop: () => stopChild(child),
  };
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** Returns the list of files when the scan is complete. */
export async function listFiles(baseUrl: string): Promise<readonly FileRecord[]> {
  for (;;) {
    const answer: { files: FileRecord[]; scan_complete: boolean } = await (await fetch(`${baseUrl}/api/files`)).json();
    if (answer.scan_complete) return answer.files;
    await new Promise((next) => setTimeout(next, 20));
  }
}

/** Resident memory of a process in bytes. Linux only. */
export function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}
