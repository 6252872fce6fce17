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
    cpuMs: () => sum(descendantsOf(root).map(cpuMsOf)),
    memoryMb: () => memoryMbOfFamily(root),
    close: () => server.close(),
  };
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
