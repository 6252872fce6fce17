import { setTimeout as pause } from 'node:timers/promises';
import type { DicomFile } from '../../server/images/catalog/dicomFile.ts';
import type { PackedStack } from '../../server/images/series/stackRecord.ts';
import { VOLUME_WAIT_MS } from '../../server/machine/workers/askWhileBusy.ts';
import { type ExportDomains, waitFor } from './exportJob.ts';

/** Frames that are scrolled together, by one of them. */
export type ExportedStack = {
  readonly file: DicomFile;
  readonly frame: number;
  /** Undefined if they are too many, or in no stack. */
  readonly stack: PackedStack | undefined;
};

const PENDING_PAUSE_MS = 50;

/** Stacks, each once, by the frames that are asked for. */
export function createStackFinder({ series, catalog }: Pick<ExportDomains, 'series' | 'catalog'>, signal: AbortSignal) {
  /** Frames of files that are in a stack that has been found. */
  const seen = new Map<number, Map<number, ExportedStack>>();
  /** Series that have too many frames to be listed. */
  const large = new Map<string, ExportedStack>();

  function add(fileIndex: number, frame: number, found: ExportedStack): void {
    const frames = seen.get(fileIndex) ?? new Map<number, ExportedStack>();
    seen.set(fileIndex, frames);
    frames.set(frame, found);
  }

  async function findStack(file: DicomFile, frame: number) {
    const beganMs = performance.now();
    for (;;) {
      signal.throwIfAborted();
      const stack = await waitFor(signal, () => series.findStack(file.index, frame));
      const isPending = stack !== undefined && 'isPending' in stack && stack.isPending;
      if (!isPending || performance.now() - beganMs > VOLUME_WAIT_MS) return stack;
      await pause(PENDING_PAUSE_MS, undefined, { signal });
    }
  }

  /** The stack of a frame. */
  async function find(file: DicomFile, frame: number): Promise<ExportedStack> {
    const known = seen.get(file.index)?.get(frame) ?? large.get(file.seriesInstanceUid);
    if (known !== undefined) return known;
    const stack = await findStack(file, frame);
    if (stack === undefined || !('fileIndices' in stack)) {
      const found = { file, frame, stack: undefined };
      if (stack !== undefined) large.set(file.seriesInstanceUid, found);
      add(file.index, frame, found);
      return found;
    }
    const first = catalog.files[stack.fileIndices[0] ?? file.index] ?? file;
    const found = { file: first, frame: stack.frameIndices[0] ?? frame, stack };
    add(file.index, frame, found);
    for (const [at, index] of stack.fileIndices.entries()) add(index, stack.frameIndices[at]!, found);
    return found;
  }

  return {
    find,
    /** The stacks of all frames of these files. */
    async list(files: Iterable<DicomFile>): Promise<readonly ExportedStack[]> {
      const all = new Set<ExportedStack>();
      for (const file of files) {
        for (let frame = 0; frame < file.frameCount; frame += 1) {
          const found = await find(file, frame);
          all.add(found);
          // The other frames of a file that is in no stack are not, either.
          if (found.stack === undefined) break;
        }
      }
      return [...all];
    },
  };
}

/** The same in every run with the same files. */
export function keyOfStack({ file, frame }: ExportedStack): string {
  return `${file.seriesInstanceUid} ${file.sopInstanceUid} ${frame}`;
}
