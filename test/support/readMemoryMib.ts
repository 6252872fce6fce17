import { readFileSync } from 'node:fs';

/** Resident memory of a process; NaN on systems without Linux's /proc. */
export function readMemoryMib(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return NaN;
  }
}
