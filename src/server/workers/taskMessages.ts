import { type ErrorCode, ViewerError } from '../../shared/contract/errors.ts';
import { TaskCancelled, TaskFailed } from './taskErrors.ts';

/** What a worker thread is started with. */
export type WorkerSetup = {
  /** In shared memory: the id of the latest request that was cancelled. */
  readonly cancelled: Int32Array;
  readonly limits: ThreadLimits;
};

/** What one thread may hold, by the plan of the whole process. */
export type ThreadLimits = {
  /** Between two tasks, of files that it has read and of memory for the next ones. */
  readonly keptBytes: number;
  /** Of one deflated data set, once it is inflated. */
  readonly inflatedBytes: number;
};

export type TaskRequest = { readonly id: number; readonly task: string; readonly input: unknown };

export type TaskReply =
  | { readonly id: number; readonly ok: true; readonly output: unknown; readonly memory: ThreadMemory }
  | { readonly id: number; readonly ok: false; readonly failure: TaskFailure; readonly memory: ThreadMemory };

/** What a thread holds after a task, and keeps while it is idle, at most. */
export type ThreadMemory = {
  /** Of WebAssembly instances, which never shrinks. */
  readonly wasmBytes: number;
  /** Of JavaScript, used or not: an idle thread collects nothing. */
  readonly heapBytes: number;
  /** Of buffers, used or not. */
  readonly bufferBytes: number;
};

export type TaskFailure =
  | { readonly kind: 'viewer'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string | undefined };

export function describeFailure(error: unknown): TaskFailure {
  if (error instanceof ViewerError) return { kind: 'viewer', code: error.code, message: error.message };
  if (error instanceof TaskCancelled) return { kind: 'cancelled' };
  // Tasks make system calls only to read files: a failing disk, too many open files.
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
 * Whether the worker may be in a bad state after this failure. A stream that cannot be decoded is none: the instance of
 * the decoder, whose memory it may have spoiled, is given up with it (loadLibrary.ts).
 */
export function taintsWorker(failure: TaskFailure): boolean {
  return failure.kind === 'bug';
}
