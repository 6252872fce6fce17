import { spawn } from 'node:child_process';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { ServerStarted } from '../../src/cli/startupLines.ts';
import { createTempFolder } from '../support/tempFolder.ts';

export const COMMAND = fileURLToPath(new URL('../../dist/negato.js', import.meta.url));

/** Shorter than the test timeout, so that a failure says what it waited for. */
const PATIENCE_MS = 25_000;

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** The built command, running as a separate process, and its output. */
export type NegatoProcess = {
  readonly pid: number;
  readonly output: { stdout: string; stderr: string };
  /** The temporary folder of the process, which no other process uses. */
  readonly temporaryFolder: string;
  readonly exit: Promise<Exit>;
  /** Resolves with the match once the stream contains it; rejects if the process ends first or takes too long. */
  readonly waitFor: (stream: 'stdout' | 'stderr', pattern: RegExp, patienceMs?: number) => Promise<RegExpExecArray>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Stops reading stdout, as `head -1` does. */
  readonly closeStdout: () => void;
};

export type NegatoOptions = {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly command?: readonly string[];
};

/** Starts the command as in a terminal of its own, without an SSH session or a display unless `env` sets them. */
export async function runNegato(args: readonly string[], options: NegatoOptions = {}): Promise<NegatoProcess> {
  const temporaryFolder = createTempFolder();
  const [program = process.execPath, ...before] = options.command ?? [process.execPath, COMMAND];
  const child = spawn(program, [...before, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: options.cwd ?? temporaryFolder,
    env: { PATH: process.env.PATH ?? '', HOME: temporaryFolder, TMPDIR: temporaryFolder, ...options.env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const exit = new Promise<Exit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  return {
    pid: child.pid ?? 0,
    output,
    temporaryFolder,
    exit,
    waitFor: (name, pattern, patienceMs = PATIENCE_MS) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output[name]);
          if (found) resolve(found);
        };
        look();
        child[name].on('data', look);
        const refuse = (what: string) => reject(new Error(`${what} before ${pattern}: ${JSON.stringify(output)}`));
        void exit.then(({ code }) => refuse(`ended with ${code}`));
        setTimeout(refuse, patienceMs, `${patienceMs} ms passed`).unref();
      }),
    signal: (signal) => void child.kill(signal),
    closeStdout: () => child.stdout.destroy(),
  };
}

/** Starts the command with `--startup-json --no-browser`. Resolves once it listens. */
export async function startNegato(
  args: readonly string[],
  options: NegatoOptions = {},
): Promise<NegatoProcess & { readonly started: ServerStarted }> {
  const negato = await runNegato(['--startup-json', '--no-browser', ...args], options);
  const [line] = await negato.waitFor('stdout', /^.*\n/);
  const started: ServerStarted = JSON.parse(line);
  return { ...negato, started };
}

/** Creates a folder of shell scripts that are found before the programs of the system. */
export async function createPrograms(scripts: Record<string, string>): Promise<{ PATH: string }> {
  const folder = createTempFolder();
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return { PATH: `${folder}:${process.env.PATH ?? ''}` };
}

/** Files left in the temporary folder of a process. */
export function listLeftovers({ temporaryFolder }: NegatoProcess): Promise<string[]> {
  return readdir(temporaryFolder);
}
