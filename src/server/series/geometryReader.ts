import { setTimeout as delay } from 'node:timers/promises';
import { ViewerError } from '../../shared/contract/errors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { TaskRunner } from '../workers/task.ts';
import { type FrameGeometry, readFrameGeometryTask } from './frameGeometry.ts';

/** Where the frames of a file lie, or why that could not be read. */
export type ReadGeometry = FrameGeometry | { readonly problem: string };

/** Reads where the frames of files lie, once each, a few files at a time. */
export interface GeometryReader {
  want(files: readonly DicomFile[]): void;
  /** Settles when all that was wanted is read, and at the latest after `waitMs`; reading goes on. */
  settle(waitMs: number): Promise<void>;
  isSettled(): boolean;
  /** Undefined while it is not read yet. */
  readonly of: (file: DicomFile) => ReadGeometry | undefined;
  close(): void;
}

const AT_ONCE = 4;
const TIMEOUT_MS = 30_000;
/** Before the next try when there is no room among the tasks that wait. */
const BUSY_MS = 250;

export function createGeometryReader(tasks: TaskRunner, onRead: (file: DicomFile) => void): GeometryReader {
  const known = new Map<number, ReadGeometry>();
  const queue: DicomFile[] = [];
  const reading = new Set<Promise<void>>();
  const closed = new AbortController();

  async function read(file: DicomFile): Promise<void> {
    const { index, realPath: path, identity, frameCount } = file;
    try {
      // Behind every frame that somebody waits to see.
      const options = {
        priority: 'prefetch',
        timeoutMs: TIMEOUT_MS,
        key: `geometry ${index}`,
        signal: closed.signal,
      } as const;
      known.set(index, await tasks.run(readFrameGeometryTask, { path, identity, frameCount }, options));
    } catch (error) {
      if (closed.signal.aborted) return;
      if (error instanceof ViewerError && error.code === 'decode_busy') {
        await delay(BUSY_MS, undefined, { ref: false });
        queue.push(file);
        return;
      }
      known.set(index, { problem: error instanceof ViewerError ? error.message : 'the file could not be read' });
    }
    onRead(file);
  }

  async function readAll(): Promise<void> {
    while (queue.length + reading.size > 0 && !closed.signal.aborted) {
      while (reading.size < AT_ONCE && queue.length > 0) start(queue.shift()!);
      await Promise.race(reading);
    }
  }

  function start(file: DicomFile): void {
    const done = read(file).finally(() => reading.delete(done));
    reading.add(done);
  }

  return {
    want(files) {
      for (const file of files) queue.push(file);
    },
    async settle(waitMs) {
      if (queue.length + reading.size === 0) return;
      const waited = new AbortController();
      await Promise.race([readAll(), delay(waitMs, undefined, { signal: waited.signal, ref: false })]).catch(
        () => undefined,
      );
      waited.abort();
    },
    isSettled: () => queue.length + reading.size === 0,
    of: ({ index }) => known.get(index),
    close: () => closed.abort(),
  };
}
