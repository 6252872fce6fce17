import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, expect } from 'vitest';

/** One line of what `NEGATO_COSTS=FILE npx vitest run` writes for each test file. Linux only. */
export type FileCost = {
  readonly file: string;
  /**
   * Processor seconds of this test process and of all processes that it started, by program. The seconds of a process
   * that ends move from its program to `ended`.
   */
  readonly seconds: Readonly<Record<string, number>>;
};

/** Clock ticks per second of /proc on Linux. */
const TICKS = 100;

/** What the processor spends on a test file does not depend on what else the machine does; how long it takes does. */
const report = process.env['NEGATO_COSTS'];
if (report !== undefined) {
  const before = readCosts();
  // The last of the hooks, because it is the first that is added.
  afterAll(() => {
    const seconds: Record<string, number> = {};
    for (const [program, all] of readCosts()) {
      const spent = all - (before.get(program) ?? 0);
      if (spent !== 0) seconds[program] = Math.round(spent * 100) / 100;
    }
    const cost: FileCost = { file: expect.getState().testPath ?? '', seconds };
    appendFileSync(report, `${JSON.stringify(cost)}\n`);
  });
}

function readCosts(): ReadonlyMap<string, number> {
  const processes = new Map(
    readdirSync('/proc').flatMap((name) => {
      const found = /^\d+$/.test(name) ? readProcess(name) : undefined;
      return found === undefined ? [] : [[Number(name), found] as const];
    }),
  );
  const costs = new Map<string, number>();
  const add = (program: string, ticks: number) => costs.set(program, (costs.get(program) ?? 0) + ticks / TICKS);
  for (const [pid, { program, own, ended }] of processes) {
    if (!isBelow(pid, processes)) continue;
    add(pid === process.pid ? 'tests' : program, own);
    add('ended', ended);
  }
  return costs;
}

type Process = {
  readonly parent: number;
  readonly program: string;
  readonly own: number;
  /** Of its children that have ended. */
  readonly ended: number;
};

function readProcess(pid: string): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Chromium separates its arguments by spaces.
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split(/[\0 ]/);
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
      (i) => fields[i],
    );
    return { parent, program: nameOf(words), own: user + system, ended: endedUser + endedSystem };
  } catch {
    // It has ended.
    return undefined;
  }
}

function nameOf(words: readonly string[]): string {
  const type = words.find((word) => word.startsWith('--type='));
  if (type !== undefined) return type.slice('--type='.length);
  const [program = '', script = ''] = words;
  return basename(basename(program) === 'node' ? script : program);
}

function isBelow(pid: number, processes: ReadonlyMap<number, Process>): boolean {
  for (let at: number | undefined = pid; at !== undefined; at = processes.get(at)?.parent) {
    if (at === process.pid) return true;
  }
  return false;
}
