import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a thread did while it was profiled, in milliseconds since the first thread started. */
export type ThreadProfile = {
  readonly name: string;
  readonly beganMs: number;
  readonly endedMs: number;
  /** Time by kind of work; kinds without time are missing. */
  readonly kinds: ReadonlyMap<Kind, number>;
  /** Functions with the most time in them and in what they call. */
  readonly functions: readonly { readonly name: string; readonly ms: number }[];
};

export const KINDS = [
  'start of Node',
  'loading and compiling',
  'evaluating modules',
  'own code',
  'libraries of Node',
  'native code',
  'garbage',
  'waiting',
] as const;
export type Kind = (typeof KINDS)[number];

/** Replaces `Worker` in the process, so that each thread writes its own profile. */
const PRELOAD = `
const threads = require('node:worker_threads');
const { basename } = require('node:path');
let count = 0;
const Original = threads.Worker;
threads.Worker = class Worker extends Original {
  constructor(file, options = {}) {
    count += 1;
    const name = count + ' ' + basename(String(file), '.js') + '.cpuprofile';
    super(file, { ...options, execArgv: ['--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', __dirname, '--cpu-prof-name', name] });
  }
};
require('node:module').syncBuiltinESMExports();
`;

/** Arguments of Node with which a process writes the profiles of all its threads into `folder` when it ends. */
export function profilingArguments(folder: string): string[] {
  const preload = join(folder, 'preload.cjs');
  writeFileSync(preload, PRELOAD);
  const profile = ['--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', folder];
  return [...profile, '--cpu-prof-name', '0 main.cpuprofile', '--require', preload];
}

/** The profiles in the order in which their threads started. Time after `untilMs` of the main thread is left out. */
export function readProfiles(folder: string, untilMs: number): ThreadProfile[] {
  const profiles = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name): [string, CpuProfile] => [name, JSON.parse(readFileSync(join(folder, name), 'utf8'))])
    .toSorted(([, a], [, b]) => a.startTime - b.startTime);
  const zero = profiles[0]?.[1].startTime ?? 0;
  return profiles.map(([name, profile]) => describe(name.replace('.cpuprofile', ''), profile, zero, untilMs));
}

type CallFrame = { readonly functionName: string; readonly url: string; readonly lineNumber: number };
type ProfileNode = { readonly id: number; readonly callFrame: CallFrame; readonly children?: readonly number[] };
/** Times in microseconds, on one clock for all threads. */
type CpuProfile = {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly endTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

const MOST_FUNCTIONS = 6;

function describe(name: string, profile: CpuProfile, zero: number, untilMs: number): ThreadProfile {
  const stacks = stacksOf(profile);
  const kinds = new Map<Kind, number>();
  const functions = new Map<string, number>();
  let at = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    at += profile.timeDeltas[index] ?? 0;
    if ((at - zero) / 1000 > untilMs) break;
    const tookMs = (profile.timeDeltas[index + 1] ?? 0) / 1000;
    const stack = stacks.get(id) ?? [];
    const kind = kindOf(stack);
    kinds.set(kind, (kinds.get(kind) ?? 0) + tookMs);
    for (const called of new Set(stack.filter(isOurs).map(label))) {
      functions.set(called, (functions.get(called) ?? 0) + tookMs);
    }
  }
  return {
    name,
    beganMs: (profile.startTime - zero) / 1000,
    endedMs: Math.min(untilMs, (profile.endTime - zero) / 1000),
    kinds,
    functions: [...functions]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, MOST_FUNCTIONS)
      .map(([called, ms]) => ({ name: called, ms })),
  };
}

/** The call frames of each node, the innermost first. */
function stacksOf({ nodes }: CpuProfile): ReadonlyMap<number, readonly CallFrame[]> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stackOf = (id: number | undefined): CallFrame[] => {
    const node = id === undefined ? undefined : byId.get(id);
    return node === undefined ? [] : [node.callFrame, ...stackOf(parents.get(node.id))];
  };
  return new Map(nodes.map(({ id }) => [id, stackOf(id)]));
}

function kindOf(stack: readonly CallFrame[]): Kind {
  const inner = stack[0]?.functionName;
  if (inner === '(idle)') return 'waiting';
  if (inner === '(garbage collector)') return 'garbage';
  if (inner === '(program)') return 'native code';
  for (const frame of stack) {
    const { functionName, url } = frame;
    if (/^node:internal\/(modules|vm)|^node:vm/.test(url)) return 'loading and compiling';
    if (/^node:internal\/(bootstrap|main|process\/(pre_execution|per_thread))/.test(url)) return 'start of Node';
    if (isOurs(frame)) return functionName === '' || functionName.startsWith('__') ? 'evaluating modules' : 'own code';
  }
  return 'libraries of Node';
}

function isOurs({ url, functionName }: CallFrame): boolean {
  return url !== '' && !url.startsWith('node:') && !functionName.startsWith('(');
}

function label({ functionName, url, lineNumber }: CallFrame): string {
  const file = url.split('/').at(-1);
  return functionName === '' ? `${file}:${lineNumber + 1}` : `${functionName} (${file})`;
}
