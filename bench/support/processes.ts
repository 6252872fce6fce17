import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** The fields of /proc/PID/stat after the name, which may contain spaces: state, parent and so on. */
export function statOf(pid: number): string[] | undefined {
  const text = read(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Processor time so far: fields 14 and 15 of proc(5), user and system time. */
export function cpuMsOf(pid: number): number {
  const fields = statOf(pid);
  return ((Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)) * 1000) / TICKS_PER_SECOND;
}

/** Memory of a process, in which shared pages count proportionally. */
export function sharedMemoryMbOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0) / 1024;
}

/** Current and peak memory; NaN if the system does not report it. */
export type Memory = { readonly now: number; readonly peak: number };

export function memoryMbOf(pid: number): Memory {
  const status = read(`/proc/${pid}/status`) ?? '';
  const field = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1024;
  return { now: field('VmRSS'), peak: field('VmHWM') };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
