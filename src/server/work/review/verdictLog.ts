import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { isMasked } from '../../bytes/masking/masker.ts';
import { describeDiskFailure, syncFolder } from '../journal/diskFailure.ts';
import { createFileLock, type FileLock } from './fileLock.ts';

/** The file that decisions are written to: append-only, and of one process at a time. */
export interface VerdictLog {
  /**
   * Takes the lock, if this process does not have it. Resolves to whether it has it only since now, so that others may have
   * written meanwhile. Throws `review_locked`, and `review_not_written`.
   */
  prepare(): Promise<'new' | 'held'>;
  /**
   * Resolves when the line is on the disk; lines that wait at the same time share a sync. Throws `review_locked`, and
   * `review_not_written`: then nothing of the line stays in the file, if the system lets go of it.
   */
  append(line: string): Promise<void>;
  /** Why writing fails, or failed last; undefined if it works. */
  trouble(): { readonly code: 'review_locked' | 'review_not_written'; readonly message: string } | undefined;
  /** Writes what waits, and removes the lock. */
  close(): Promise<void>;
}

type Waiting = { readonly line: string; readonly served: () => void; readonly refused: (error: unknown) => void };

export function createVerdictLog(given: string): VerdictLog {
  let place: Promise<{ readonly path: string; readonly lock: FileLock }> | undefined;
  let handle: FileHandle | undefined;
  /** Length of the file after the last line that is on the disk; anything else was written by somebody else, or cut off. */
  let knownSize = 0;
  let waiting: Waiting[] = [];
  let work: Promise<void> | undefined;
  let preparing: Promise<'new' | 'held'> | undefined;
  let trouble: ReturnType<VerdictLog['trouble']>;
  let isClosed = false;

  /** The lock is beside the file itself, whatever links lead there. */
  const locate = () =>
    (place ??= findPlace(given).then((path) => ({ path, lock: createFileLock(`${path}.lock`) }))).catch(
      (error: unknown) => {
        place = undefined;
        throw error;
      },
    );

  const fail = (code: 'review_locked' | 'review_not_written', message: string, cause?: unknown): ViewerError => {
    trouble = { code, message };
    return new ViewerError(code, message, { cause });
  };
  const notWritten = (error: unknown) =>
    fail('review_not_written', `the decision could not be written: ${describeDiskFailure(error)}`, error);
  const lockedBy = (pid: number) =>
    fail('review_locked', `another negato${pid === 0 ? '' : ` (process ${pid})`} writes the file of this review`);

  const takeLock = async (): Promise<'new' | 'held'> => {
    if (isClosed) throw new ViewerError('shutting_down', 'the server is shutting down');
    let taken: 'held' | { readonly pid: number };
    try {
      const { lock } = await locate();
      if (await lock.isHeld()) return 'held';
      taken = await lock.acquire();
    } catch (error) {
      throw notWritten(error);
    }
    if (taken !== 'held') throw lockedBy(taken.pid);
    trouble = undefined;
    return 'new';
  };

  const writeBatch = async (batch: readonly Waiting[]): Promise<void> => {
    const { path, lock } = await locate();
    if (!(await lock.isHeld())) throw fail('review_locked', 'the lock of the file of this review was taken away');
    if (handle !== undefined && !(await isAt(handle, path))) await closeHandle();
    const isNew = handle === undefined && (await lstat(path).catch(() => undefined)) === undefined;
    handle ??= await open(path, constants.O_RDWR | constants.O_CREAT, 0o666);
    const { size } = await handle.stat();
    let end = size;
    try {
      // A line of an earlier process that was cut off stays as it is, and the next one begins behind it.
      if (size > 0 && size !== knownSize && !(await endsLine(handle, size))) {
        end += await writeAt(handle, Buffer.from('\n'), end);
      }
      for (const { line } of batch) end += await writeAt(handle, Buffer.from(`${line}\n`), end);
      await handle.datasync();
      if (isNew) await syncFolder(dirname(path));
    } catch (error) {
      knownSize = -1;
      await handle.truncate(size).catch(() => undefined);
      throw error;
    }
    knownSize = end;
  };

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await writeBatch(batch);
        trouble = undefined;
        for (const { served } of batch) served();
      } catch (error) {
        const failure = error instanceof ViewerError ? error : notWritten(error);
        if (!(error instanceof ViewerError)) await closeHandle();
        for (const { refused } of batch) refused(failure);
      }
    }
    // In the same step in which nothing waits any more: whoever comes next starts it again.
    work = undefined;
  };

  const closeHandle = async (): Promise<void> => {
    const closing = handle;
    handle = undefined;
    knownSize = -1;
    await closing?.close().catch(() => undefined);
  };

  return {
    prepare: () =>
      (preparing ??= takeLock().finally(() => {
        preparing = undefined;
      })),
    append(line) {
      if (isClosed) return Promise.reject(new ViewerError('shutting_down', 'the server is shutting down'));
      const written = new Promise<void>((served, refused) => waiting.push({ line, served, refused }));
      work ??= writeAll();
      return written;
    },
    trouble: () => trouble,
    async close() {
      isClosed = true;
      await work;
      await closeHandle();
      await (await place?.catch(() => undefined))?.lock.release();
    },
  };
}

/** The path without links, also of a file that is still to be made. */
async function findPlace(given: string): Promise<string> {
  try {
    return await realpath(given);
  } catch {
    return join(await realpath(dirname(given)), basename(given));
  }
}

/** Data written to a removed file is lost. */
async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  const [own, found] = await Promise.all([handle.stat(), lstat(path).catch(() => undefined)]);
  return own.ino === found?.ino && own.dev === found.dev;
}

async function endsLine(handle: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === LINE_FEED;
}

const LINE_FEED = 0x0a;

async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<number> {
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
  return bytes.length;
}

/** How the file is named in a run that says no paths. */
export function namePath(path: string): string | null {
  return isMasked() ? null : path;
}
