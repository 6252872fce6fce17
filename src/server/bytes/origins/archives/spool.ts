import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BroadcastChannel } from 'node:worker_threads';
import { crc32, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { collectNewGarbage } from '../../../machine/workers/collectGarbage.ts';
import { ArchiveProblem } from './archiveProblem.ts';
import {
  REFUSALS,
  REPLY,
  REPLY_BYTES,
  REPLY_HEAD,
  SPOOL_CHANNEL,
  type SpoolJob,
  type SpoolRequest,
} from './spoolMessages.ts';

export type SpoolOptions = {
  /** Returns a private folder, which the caller removes. Called when something is unpacked for the first time. */
  readonly createFolder: () => string;
  /** The most that unpacked files may take on the disk; beyond it, the least recently used ones are removed. */
  readonly mostBytes?: number;
};

/** At most this much, and never more than half of what is free. */
const MOST_BYTES = 16 * 2 ** 30;
/** Beyond the first bytes, gzip data that expands more than this is refused. */
const HIGHEST_RATIO = 1_000;
const RATIO_FREE_BYTES = 64 * 2 ** 20;
const STEP_BYTES = 64 * 2 ** 20;
const CHUNK_BYTES = 256 * 1024;
const MOST_DROPPED_BYTES = 4 * 2 ** 20;

/**
 * Unpacks members of archives and deflated data sets to files, for threads that need random access: deflated data can
 * only be read from its beginning. There is one spool for the process. Each member is unpacked once, however many threads ask for it, and
 * goes on when a thread gives up waiting. Nothing here runs on the main thread for long: zlib and the disk have their
 * own threads.
 */
export function startSpool({ createFolder, mostBytes = MOST_BYTES }: SpoolOptions): { close(): Promise<void> } {
  const channel = new BroadcastChannel(SPOOL_CHANNEL);
  channel.unref();
  const running = new Map<string, Promise<string>>();
  const closing = new AbortController();
  /** Jobs check and take room one after another. */
  let inTurn: Promise<unknown> = Promise.resolve();
  let takenBytes = 0;
  let madeFolder: string | undefined;

  async function unpack(job: SpoolJob): Promise<string> {
    const folder = (madeFolder ??= createFolder());
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, createHash('sha256').update(job.key).digest('hex'));
    if (await isThere(path)) return path;
    const draft = `${path}.part`;
    let reservedBytes = 0;
    let writtenBytes = 0;
    let droppedBytes = 0;
    let checksum = 0;
    const take = async (bytes: number): Promise<void> => {
      const turn = inTurn.then(() => makeRoom(folder, bytes));
      inTurn = turn.catch(() => undefined);
      await turn;
      reservedBytes += bytes;
    };
    const check = new Transform({
      highWaterMark: CHUNK_BYTES,
      transform(chunk: Buffer, _encoding, done) {
        writtenBytes += chunk.length;
        droppedBytes += chunk.length;
        // Node would keep all pieces of some ten megabytes.
        if (droppedBytes > MOST_DROPPED_BYTES) {
          droppedBytes = 0;
          collectNewGarbage();
        }
        checksum = crc32(chunk, checksum);
        if (job.size !== undefined && writtenBytes > job.size) return done(damaged('is longer than declared'));
        if (writtenBytes > mostBytesOf(job)) return done(tooLarge());
        if (writtenBytes <= reservedBytes) return done(undefined, chunk);
        // What a gzip file holds is not known before it has been read.
        // oxlint-disable-next-line promise/no-callback-in-promise -- a transform has no promises
        take(Math.max(STEP_BYTES, chunk.length)).then(() => done(undefined, chunk), done);
      },
    });
    const inflate = INFLATERS[job.method]({ chunkSize: CHUNK_BYTES });
    try {
      if (job.size !== undefined) await take(job.size);
      await pipeline(
        createReadStream(job.realPath, { start: job.start, end: job.end - 1, highWaterMark: CHUNK_BYTES }),
        inflate,
        check,
        createWriteStream(draft, { mode: 0o600 }),
        { signal: closing.signal },
      );
      if (job.size !== undefined && writtenBytes !== job.size) throw damaged('is shorter than declared');
      if (job.crc !== undefined && checksum !== job.crc) throw damaged('has another checksum');
      takenBytes -= reservedBytes - writtenBytes;
      reservedBytes = writtenBytes;
      await rename(draft, path);
      return path;
    } catch (error) {
      takenBytes -= reservedBytes;
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Removes the files that were not used for the longest time, until there is room for so many more bytes. */
  async function makeRoom(folder: string, bytes: number): Promise<void> {
    if (takenBytes + bytes > mostBytes || (await freeBytes(folder)) < bytes * 2) {
      for (const { path, size } of await listByUse(folder)) {
        if (takenBytes + bytes <= mostBytes && (await freeBytes(folder)) >= bytes * 2) break;
        await rm(path, { force: true });
        takenBytes -= size;
      }
      if (takenBytes + bytes > mostBytes || (await freeBytes(folder)) < bytes * 2) throw tooLarge();
    }
    takenBytes += bytes;
  }

  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- only this starts the channel of Node
  channel.onmessage = (event) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- askSpool.ts sends it
    const { job, reply } = (event as { readonly data: unknown }).data as SpoolRequest;
    answer(reply, REPLY.accepted, 0);
    const unpacked = running.get(job.key) ?? unpack(job).finally(() => running.delete(job.key));
    running.set(job.key, unpacked);
    unpacked.then(
      (path) => {
        const bytes = Buffer.from(path);
        if (REPLY_HEAD + bytes.length > REPLY_BYTES) return answer(reply, REPLY.refused, 0);
        new Uint8Array(reply, REPLY_HEAD).set(bytes);
        return answer(reply, REPLY.ready, bytes.length);
      },
      (error: unknown) => answer(reply, REPLY.refused, refusalOf(error)),
    );
  };

  return {
    async close() {
      channel.close();
      closing.abort();
      await Promise.allSettled(running.values());
    },
  };
}

const INFLATERS = { deflated: createInflateRaw, zlib: createInflate, gzip: createGunzip };

function mostBytesOf({ mostBytes, start, end }: SpoolJob): number {
  return mostBytes ?? Math.max(RATIO_FREE_BYTES, (end - start) * HIGHEST_RATIO);
}

function answer(reply: SharedArrayBuffer, state: number, value: number): void {
  const cells = new Int32Array(reply, 0, 2);
  Atomics.store(cells, 1, value);
  Atomics.store(cells, 0, state);
  Atomics.notify(cells, 0);
}

/** A full disk is a limit; everything else that fails is data that zlib refuses, or a file that is gone. */
function refusalOf(error: unknown): number {
  const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  const reason = isFull || (error instanceof ArchiveProblem && error.reason === 'archive_limit');
  return REFUSALS.indexOf(reason ? 'archive_limit' : 'archive_damaged');
}

function damaged(how: string): ArchiveProblem {
  return new ArchiveProblem('archive_damaged', `the unpacked file ${how}`);
}

function tooLarge(): ArchiveProblem {
  return new ArchiveProblem('archive_limit', 'the unpacked file is too large');
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function listByUse(folder: string) {
  const names = (await readdir(folder)).filter((name) => !name.endsWith('.part'));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const { size, atimeMs } = await stat(path);
      return { path, size, atimeMs };
    }),
  );
  return files.toSorted((a, b) => a.atimeMs - b.atimeMs);
}
