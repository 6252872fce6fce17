import { type ResourceLimits, Worker } from 'node:worker_threads';
import { TaskTimeout, WorkerDied } from './taskErrors.ts';
import {
  type TaskReply,
  type TaskRequest,
  taintsWorker,
  type ThreadLimits,
  type ThreadMemory,
  toError,
  type WorkerSetup,
} from './taskMessages.ts';

/** How one task ended. */
export type Outcome =
  | { readonly kind: 'done'; readonly output: unknown; readonly memory: ThreadMemory }
  /** Without `memory` the thread must not be used again. */
  | { readonly kind: 'failed'; readonly error: Error; readonly memory: ThreadMemory | undefined }
  /** The thread is gone, by itself or because the task took too long. */
  | { readonly kind: 'died'; readonly error: WorkerDied | TaskTimeout };

/** A task, and the buffers of its input that move to the thread. */
type ThreadTask = Omit<TaskRequest, 'id'> & { readonly transfer: readonly ArrayBuffer[] };

export type WorkerThread = {
  /** Runs one task; only when no other runs. `settle` is called exactly once, whatever happens to the thread. */
  readonly run: (task: ThreadTask, timeoutMs: number, settle: (outcome: Outcome) => void) => void;
  /** Tells the running task that nobody waits for it. */
  readonly cancel: () => void;
  /** Ends the thread; a running task settles as died at once. Resolves when the thread is really gone. */
  readonly end: (reason: string) => Promise<void>;
};

type Running = {
  readonly id: number;
  readonly timeoutMs: number;
  readonly settle: (outcome: Outcome) => void;
  timer?: NodeJS.Timeout;
};

// Off-heap memory, where pixels and WebAssembly live, is not counted here: the account bounds that (memoryAccount.ts). A young generation
// of 24 holds two halves of 8; of 32 it would double them after an hour of work, and does not go back.
const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 24, stackSizeMb: 4 };

/** A task that waits, for a disk or for its turn, is ended after so many times its time. */
const STARVED_FACTOR = 4;

export type Death = {
  /** By itself, and not because it was ended or its task took too long. */
  readonly crashed: boolean;
  /** Resolves when the thread is really gone; one that hangs in a system call may take for ever. */
  readonly ended: Promise<void>;
};

/** Starts a thread. `onDeath` is called once, in the tick in which the thread is known to be dead or dying. */
export function startWorkerThread(
  { file, limits }: { readonly file: URL; readonly limits: ThreadLimits },
  onDeath: (thread: WorkerThread, death: Death) => void,
): WorkerThread {
  const cancelled = new Int32Array(new SharedArrayBuffer(4));
  const setup: WorkerSetup = { cancelled, limits };
  const worker = new Worker(file, { workerData: setup, execArgv: [], resourceLimits: LIMITS });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  let running: Running | undefined;
  let online = false;
  let dead = false;
  let lastId = 0;

  const finish = (outcome: Outcome) => {
    const task = running;
    if (task === undefined) return;
    running = undefined;
    clearTimeout(task.timer);
    // An idle thread does not keep the process alive.
    worker.unref();
    task.settle(outcome);
  };

  const die = (error: WorkerDied | TaskTimeout, crashed: boolean) => {
    if (dead) return;
    dead = true;
    void worker.terminate();
    onDeath(thread, { crashed, ended });
    finish({ kind: 'died', error });
  };

  const startClock = (task: Running) => {
    const { timeoutMs } = task;
    const patience = performance.now() + timeoutMs * STARVED_FACTOR;
    const begun = processorMs();
    const expire = () => {
      // All threads of the process together have had less than this one may take: not the task is slow, the machine is busy.
      const missing = Math.min(timeoutMs - (processorMs() - begun), patience - performance.now());
      if (missing > 0) task.timer = setTimeout(expire, missing);
      else die(new TaskTimeout(`ended after ${timeoutMs} ms`), false);
    };
    task.timer = setTimeout(expire, timeoutMs);
  };

  const thread: WorkerThread = {
    run({ task, input, transfer }, timeoutMs, settle) {
      lastId = (lastId + 1) | 0;
      const request: TaskRequest = { id: lastId, task, input };
      running = { id: lastId, timeoutMs, settle };
      worker.ref();
      try {
        worker.postMessage(request, transfer);
      } catch (error) {
        // The input cannot be cloned: a bug of the caller.
        finish({ kind: 'failed', error: asError(error), memory: undefined });
        return;
      }
      // The start of the thread is not the task's time: on a busy machine it takes long.
      if (online) startClock(running);
    },
    cancel() {
      if (running !== undefined) Atomics.store(cancelled, 0, running.id);
    },
    end(reason) {
      die(new WorkerDied(reason), false);
      return ended;
    },
  };

  worker.once('online', () => {
    online = true;
    if (running !== undefined) startClock(running);
  });
  worker.on('message', (reply: TaskReply) => {
    if (reply.id !== running?.id) return;
    const { memory } = reply;
    if (reply.ok) finish({ kind: 'done', output: reply.output, memory });
    else {
      const kept = taintsWorker(reply.failure) ? undefined : memory;
      finish({ kind: 'failed', error: toError(reply.failure), memory: kept });
    }
  });
  const crash = (message: string, cause?: unknown) => die(new WorkerDied(message, { cause }), true);
  worker.on('error', (cause) => crash(`the worker failed: ${String(cause)}`, cause));
  worker.on('messageerror', (cause) => crash('the worker sent what cannot be read', cause));
  worker.once('exit', (code) => crash(`the worker exited with code ${code}`));
  return thread;
}

/** Processor time of all threads of this process so far. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
