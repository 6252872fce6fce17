import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Playwright from 'playwright-core';
import type * as Finder from '../../scripts/findChromium.mjs';
import { cpuMsOf, sharedMemoryMbOf, statOf } from './processes.ts';

declare const NEGATO_ROOT: string;

// The bundle is in a temporary folder, where neither packages nor neighbouring files are found.
const playwright: typeof Playwright = createRequire(join(NEGATO_ROOT, 'package.json'))('playwright-core');
const finder = pathToFileURL(join(NEGATO_ROOT, 'scripts/findChromium.mjs')).href;
export const { findChromium }: typeof Finder = await import(finder);

/** A browser whose processes can be measured. */
export type BenchBrowser = {
  readonly newPage: () => Promise<Playwright.Page>;
  /**
   * The longest turn of the page's event loop while this runs, in processor time of its thread, so that other programs
   * on the machine do not count.
   */
  readonly longestTurnMs: (page: Playwright.Page, run: () => Promise<void>) => Promise<number>;
  /** Processor time of all its processes so far; 0 if the system does not report it. */
  readonly cpuMs: () => number;
  /** Private memory of its processes, plus their share of shared memory. */
  readonly memoryMb: () => number;
  readonly close: () => Promise<void>;
};

export async function launchBrowser({ gpu }: { readonly gpu: boolean }): Promise<BenchBrowser> {
  const server = await playwright.chromium.launchServer({
    executablePath: findChromium(),
    args: browserArguments({ gpu }),
  });
  const browser = await playwright.chromium.connect(server.wsEndpoint());
  const root = server.process().pid ?? 0;
  return {
    newPage: () => browser.newPage({ viewport: { width: 1280, height: 800 } }),
    async longestTurnMs(page, run) {
      await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', 'v8'] });
      await run();
      return findLongestTurnMs(JSON.parse(String(await browser.stopTracing())));
    },
    cpuMs: () => sum(descendantsOf(root).map(cpuMsOf)),
    memoryMb: () => memoryMbOfFamily(root),
    close: () => server.close(),
  };
}

type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time of the thread in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
};

function findLongestTurnMs({ traceEvents }: { readonly traceEvents: readonly TraceEvent[] }): number {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const main = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const threads = new Set(main.map(threadOf));
  // What follows a promise runs after the task that resolved it.
  const turns = traceEvents.filter(
    (event) => threads.has(threadOf(event)) && /RunTask$|PerformMicrotaskCheckpoint$/.test(event.name),
  );
  return turns.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0);
}

export function browserArguments({ gpu }: { readonly gpu: boolean }): string[] {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return [...sandbox, ...(gpu ? [] : ['--disable-gpu'])];
}

/** Memory of a process and all its descendants. */
export function memoryMbOfFamily(root: number): number {
  return sum(descendantsOf(root).map(sharedMemoryMbOf));
}

function descendantsOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of existsSync('/proc') ? readdirSync('/proc') : []) {
    const parent = Number(statOf(Number(name))?.[1]);
    if (Number.isInteger(parent)) parents.set(Number(name), parent);
  }
  const family = [root];
  // The list grows while it is iterated. /proc is small, and the process tree only a few levels deep.
  for (const member of family) {
    for (const [child, parent] of parents) if (parent === member) family.push(child);
  }
  return family;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
