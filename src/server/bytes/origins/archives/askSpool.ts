import { statSync, utimesSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import { ViewerError } from '../../../../shared/contract/errors.ts';
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

/** Files that this thread has asked for, by key. */
const known = new Map<string, string>();
const MOST_KNOWN = 1_000;
const ACCEPTED_WITHIN_MS = 10_000;

/**
 * The path of a file with the unpacked bytes. The thread waits until they are there, for `patienceMs` at most: then it
 * throws `decode_busy`, so that a client asks again, while unpacking goes on.
 */
export function askSpool(job: SpoolJob, patienceMs = Infinity): string {
  const before = known.get(job.key);
  if (before !== undefined && touch(before)) return before;
  // The answer comes from the main thread, which must not wait for itself.
  if (isMainThread) throw new Error('the main thread cannot wait for a spool');
  return ask(job, ({ cells, read }) => {
    const started = performance.now();
    for (;;) {
      const waitedMs = performance.now() - started;
      const path = read(waitedMs);
      if (path !== undefined) return path;
      if (waitedMs > patienceMs) throw new ViewerError('decode_busy', 'the file is still being unpacked');
      // In short intervals, so that the thread can be terminated in the meantime.
      Atomics.wait(cells, 0, Atomics.load(cells, 0), 100);
    }
  });
}

/** The same without blocking the thread. */
export async function askSpoolLater(job: SpoolJob): Promise<string> {
  const before = known.get(job.key);
  if (before !== undefined && touch(before)) return before;
  return ask(job, async ({ read }) => {
    const started = performance.now();
    for (;;) {
      const path = read(performance.now() - started);
      if (path !== undefined) return path;
      await delay(20);
    }
  });
}

/** Marks the file as used, so that others are removed before it. False if it has been removed. */
function touch(path: string): boolean {
  try {
    utimesSync(path, Date.now() / 1000, statSync(path).mtime);
    return true;
  } catch {
    return false;
  }
}

type Asked = {
  readonly cells: Int32Array;
  /** The path, or undefined as long as there is no answer. Throws if the answer is no. */
  readonly read: (waitedMs: number) => string | undefined;
};

function ask<Answer extends string | Promise<string>>(job: SpoolJob, wait: (asked: Asked) => Answer): Answer {
  const reply = new SharedArrayBuffer(REPLY_BYTES);
  const cells = new Int32Array(reply, 0, 2);
  const channel = new BroadcastChannel(SPOOL_CHANNEL);
  channel.postMessage({ job, reply } satisfies SpoolRequest);
  const read = (waitedMs: number) => {
    const state = Atomics.load(cells, 0);
    if (state === REPLY.refused) throw refusal(cells[1]!);
    if (state === REPLY.asked && waitedMs > ACCEPTED_WITHIN_MS) throw refusal(0);
    if (state !== REPLY.ready) return undefined;
    const path = Buffer.from(new Uint8Array(reply, REPLY_HEAD, cells[1])).toString('utf8');
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(job.key, path);
    return path;
  };
  try {
    return wait({ cells, read });
  } finally {
    channel.close();
  }
}

function refusal(which: number): ArchiveProblem {
  const reason = REFUSALS[which] ?? 'archive_damaged';
  const message =
    reason === 'archive_limit'
      ? 'there is not enough room in the temporary folder to unpack this file'
      : 'the archive is damaged: a file in it cannot be unpacked as declared';
  return new ArchiveProblem(reason, message);
}
