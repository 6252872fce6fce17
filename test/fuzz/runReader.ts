import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BaseFile } from './baseFiles.ts';
import { buildCase, type FuzzCase } from './fuzzCase.ts';
import { minimise } from './minimise.ts';
import { probePrefix } from './prefixProbe.ts';
import { createReaderProbe, type Failure } from './readerProbe.ts';

export type Finding = { readonly case: FuzzCase; readonly failure: Failure };

export type ReaderRun = {
  readonly bases: readonly BaseFile[];
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** Called before each case, so that a watching thread knows which one hangs. */
  readonly onCase?: (number: number) => void;
  /** Returns true to end the run before `to`. */
  readonly isOver?: () => boolean;
  readonly onFinding: (finding: Finding) => void;
};

/** One in this many cases is read from disk instead, by everything that reads files for the routes. */
const ON_DISK = 16;
/** After one in this many cases, a valid file is truncated. */
const CUT = 4;

/**
 * Runs the cases of a range through the reader in this thread. Returns the number of the first case that was not run.
 */
export function runReader({ bases, seed, from, to, onCase, isOver, onFinding }: ReaderRun): number {
  const folder = mkdtempSync(join(tmpdir(), 'negato-fuzz-'));
  try {
    const probe = createReaderProbe(join(folder, 'case.dcm'));
    let number = from;
    for (; number < to; number += 1) {
      if (isOver?.() === true) break;
      onCase?.(number);
      const found = buildCase(seed, number, bases);
      const read = number % ON_DISK === 0 ? probe.onDisk : probe.inMemory;
      const failure = read(found.bytes);
      if (failure !== undefined) {
        const isSame = (bytes: Uint8Array) => {
          const again = read(bytes);
          return again?.kind === failure.kind && again.step === failure.step;
        };
        const bytes = failure.kind === 'slow' ? found.bytes : minimise(found.bytes, isSame);
        onFinding({ case: { ...found, bytes }, failure });
      }
      const whole = bases[number % bases.length];
      const cut = number % CUT === 0 && whole !== undefined ? probePrefix(whole, seed, number) : undefined;
      if (cut !== undefined) onFinding({ case: { ...found, bytes: new Uint8Array(0) }, failure: cut });
    }
    return number;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
