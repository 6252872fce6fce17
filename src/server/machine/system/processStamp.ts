import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isRunning } from './isRunning.ts';

/**
 * Identifies the process that something belongs to, in a form that fits into a file name. Machines and containers may
 * share a folder, and process ids are reused, so the id alone is not enough.
 */
export type ProcessStamp = {
  readonly machine: string;
  /** Differs after every boot of the machine; empty if the system does not provide it. */
  readonly boot: string;
  /** Identifies the namespace in which process ids are valid. */
  readonly ids: string;
  readonly pid: number;
  /** Start time of the process in the system's own units; 0 if the system does not provide it. */
  readonly began: number;
};

export function stampOfThisProcess(): ProcessStamp {
  return { ...describePlace(), pid: process.pid, began: readBegan(process.pid) };
}

/** A stamp that belongs to no process. */
export function stampOfNobody(): ProcessStamp {
  return { ...describePlace(), pid: 0, began: 0 };
}

/** `unknown` if the process is on another machine or in another pid namespace, where only a sign of life could tell. */
export function lifeOf(stamp: ProcessStamp): 'running' | 'ended' | 'unknown' {
  if (stamp.pid === 0) return 'ended';
  const here = describePlace();
  if (stamp.machine !== here.machine) return 'unknown';
  if (stamp.boot !== here.boot) return 'ended';
  if (stamp.ids !== here.ids) return 'unknown';
  if (!isRunning(stamp.pid)) return 'ended';
  const began = readBegan(stamp.pid);
  if (began === 0 || stamp.began === 0) return 'unknown';
  return began === stamp.began ? 'running' : 'ended';
}

export function writeStamp({ machine, boot, ids, pid, began }: ProcessStamp): string {
  return `${machine}-${boot || '0'}-${ids}-${pid}-${began}`;
}

export const STAMP_PATTERN = '([0-9a-f]{8})-([0-9a-f]{8}|0)-([0-9a-f]{8})-(\\d{1,10})-(\\d{1,16})';

/** Builds a stamp from the groups that `STAMP_PATTERN` matched. */
export function toStamp([machine = '', boot = '', ids = '', pid, began]: readonly string[]): ProcessStamp {
  return { machine, boot: boot === '0' ? '' : boot, ids, pid: Number(pid), began: Number(began) };
}

function describePlace(): Pick<ProcessStamp, 'machine' | 'boot' | 'ids'> {
  const boot = readOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const ids = readOrEmpty(() => readlinkSync('/proc/self/ns/pid'));
  return { machine: shorten(hostname()), boot: boot && shorten(boot), ids: shorten(ids) };
}

/** The 22nd field of `stat`. The second field is a name in parentheses that may contain any character. */
function readBegan(pid: number): number {
  const text = readOrEmpty(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? 0);
}

function readOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function shorten(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
