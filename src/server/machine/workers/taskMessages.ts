import { type ErrorCode, ViewerError } from '../../../shared/contract/errors.ts';
import type { ThreadLink } from './threadLink.ts';
import { TaskCancelled, TaskFailed } from './taskErrors.ts';

/** The data that a worker thread is started with. */
export type WorkerSetup = {
  /** In shared memory: the id of the most recently cancelled request. */
  readonly cancelled: Int32Array;
  readonly limits: ThreadLimits;
  /** How the thread asks the one that has the connections to other machines. */
  readonly remote: ThreadLink | undefined;
};

/** Memory limits of one thread, derived from the plan of the whole process. */
export type ThreadLimits = {
  /** Kept between tasks: data of files that were read, and memory for the next tasks. */
  readonly keptBytes: number;
  /** A thread whose JavaScript heap is larger after a task, even without its garbage, is replaced. */
  readonly heapBytes: number;
  /** A task whose objects need more fails. V8 collects garbage more often the closer the heap comes to it. */
  readonly mostHeapBytes: number;
  /** Maximum size of one deflated data set after inflating. */
  readonly inflatedBytes: number;
};

export type TaskRequest = {
  readonly id: number;
  readonly task: string;
  readonly input: unknown;
  /** The thread is ended after this time, even if it only waits. */
  readonly patienceMs: number;
};

/** Collects the garbage of the thread. It is not answered. */
export const COLLECT_GARBAGE = 'collect garbage';

/** A message between a thread and the one that borrows it, in both directions. */
export type LentMessage = { readonly lent: unknown };
/** The borrower does not need the thread any more. */
export const GIVE_BACK = 'give back';
/** The thread has done all that its borrower asked for, and runs tasks again. */
export type GivenBack = { readonly givenBack: ThreadMemory };

export type TaskReply =
  | { readonly id: number; readonly ok: true; readonly output: unknown; readonly memory: ThreadMemory }
  | { readonly id: number; readonly ok: false; readonly failure: TaskFailure; readonly memory: ThreadMemory };

/** The memory that a thread holds after a task. While it is idle it keeps at most this much. */
export type ThreadMemory = {
  /** WebAssembly instances, whose memory never shrinks. */
  readonly wasmBytes: number;
  /** The JavaScript heap, used or not: an idle thread does not collect garbage. */
  readonly heapBytes: number;
  /** Buffers, used or not. */
  readonly bufferBytes: number;
};

export type TaskFailure =
  | { readonly kind: 'viewer'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string | undefined };

export function describeFailure(error: unknown): TaskFailure {
  if (error instanceof ViewerError) return { kind: 'viewer', code: error.code, message: error.message };
  if (error instanceof TaskCancelled) return { kind: 'cancelled' };
  // Tasks make system calls only to read files, so this is a failing disk or too many open files, for example.
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    return { kind: 'viewer', code: 'file_read_failed', message: `the file cannot be read (${String(error.code)})` };
  }
  if (error instanceof Error) return { kind: 'bug', message: `${error.name}: ${error.message}`, stack: error.stack };
  return { kind: 'bug', message: `thrown: ${String(error)}`, stack: undefined };
}

export function toError(failure: TaskFailure): Error {
  if (failure.kind === 'viewer') return new ViewerError(failure.code, failure.message);
  if (failure.kind === 'cancelled') return new TaskCancelled('cancelled');
  const error = new TaskFailed(failure.message);
  if (failure.stack !== undefined) error.stack = failure.stack;
  return error;
}

/**
 * Whether the worker may be in a bad state after this failure. A stream that cannot be decoded does not count: the
 * decoder instance whose memory it may have corrupted is discarded with it (loadLibrary.ts).
 */
export function taintsWorker(failure: TaskFailure): boolean {
  return failure.kind === 'bug';
}
