import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { Thread, ThreadEvents } from './startThread.ts';
import type { ThreadLink } from './threadLink.ts';
import { TaskTimeout, WorkerDied } from './taskErrors.ts';
import {
  COLLECT_GARBAGE,
  GIVE_BACK,
  type GivenBack,
  type LentMessage,
  type TaskReply,
  type TaskRequest,
  taintsWorker,
  type ThreadLimits,
  type ThreadMemory,
  toError,
  type WorkerSetup,
} from './taskMessages.ts';
import { openSharedNote } from './sharedNote.ts';

/** How one task ended. */
export type TaskOutcome =
  | { readonly kind: 'done'; readonly output: unknown; readonly memory: ThreadMemory }
  /** Without `memory` the thread must not be used again. */
  | { readonly kind: 'failed'; readonly error: Error; readonly memory: ThreadMemory | undefined }
  /** The thread ended, either by itself or because the task took too long. */
  | { readonly kind: 'died'; readonly error: WorkerDied | TaskTimeout };

/** A task and the buffers of its input that are transferred to the thread. */
type ThreadTask = Omit<TaskRequest, 'id'> & { readonly transfer: readonly ArrayBuffer[] };

export type WorkerThread = {
  /**
   * Runs one task; call it only when no other task is running. `settle` is called exactly once, even if the thread
   * dies.
   */
  readonly run: (task: ThreadTask, timeoutMs: number, settle: (outcome: TaskOutcome) => void) => void;
  /** Tells the running task that no caller waits for it. */
  readonly cancel: () => void;
  /** Collects the garbage of the thread, after its task if one is running. */
  readonly collectGarbage: () => void;
  /**
   * Gives the thread to a borrower, who talks to it as to a thread of its own; call it only when no task is running. To
   * the borrower it ends when it terminates the thread. `on.leaving` is called then, and `on.back` once the thread has
   * done what it was asked for. A thread that does not manage that within a moment dies.
   */
  readonly lend: (on: Lending) => Thread;
  /** Ends the thread; a running task settles as died immediately. Resolves when the thread has actually exited. */
  readonly end: (reason: string) => Promise<void>;
};

export type Lending = { readonly leaving: () => void; readonly back: (memory: ThreadMemory) => void };

type Borrower = {
  readonly emit: (event: keyof ThreadEvents, detail: unknown) => void;
  readonly giveBack: (memory: ThreadMemory) => void;
};

/** A borrowed thread that takes longer to be given back hangs in a system call. */
const GIVE_BACK_MS = 200;

type Running = {
  readonly id: number;
  readonly timeoutMs: number;
  readonly settle: (outcome: TaskOutcome) => void;
  timer?: NodeJS.Timeout;
};

// Off-heap memory, which holds pixels and WebAssembly, is not counted here; the account limits it (memoryAccount.ts). A
// young generation of 24 MB has two halves of 8 MB. With 32 MB, V8 would double the halves after an hour of work and
// never shrink them again.
const LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 24, stackSizeMb: 4 };

/** A task that waits for a disk or for processor time is terminated after this multiple of its time limit. */
const STARVED_FACTOR = 4;

export type Death = {
  /** The thread ended by itself, not because it was terminated or its task took too long. */
  readonly crashed: boolean;
  /** Resolves when the thread has actually exited. A thread that hangs in a system call may never exit. */
  readonly ended: Promise<void>;
};

/** Starts a thread. `onDeath` is called once, in the tick in which the thread is known to be dead or dying. */
export function startWorkerThread(
  {
    file,
    limits,
    remote,
  }: { readonly file: URL; readonly limits: ThreadLimits; readonly remote?: ThreadLink | undefined },
  onDeath: (thread: WorkerThread, death: Death) => void,
): WorkerThread {
  const cancelled = new Int32Array(new SharedArrayBuffer(4));
  const setup: WorkerSetup = { cancelled, limits, remote };
  const maxOldGenerationSizeMb = Math.ceil(limits.mostHeapBytes / 2 ** 20);
  const resourceLimits = { ...LIMITS, maxOldGenerationSizeMb };
  const transferList = remote === undefined ? [] : [remote.port];
  openSharedNote();
  const worker = new Worker(file, { workerData: setup, transferList, execArgv: [], resourceLimits });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  // An idle thread does not keep the process alive.
  worker.unref();
  let running: Running | undefined;
  let borrower: Borrower | undefined;
  let online = false;
  let dead = false;
  let lastId = 0;

  const finish = (outcome: TaskOutcome) => {
    const task = running;
    if (task === undefined) return;
    running = undefined;
    clearTimeout(task.timer);
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
      // If all threads of the process together have used less processor time than this task may take, the machine is
      // busy and the task is not slow.
      const missing = Math.min(timeoutMs - (processorMs() - begun), patience - performance.now());
      if (missing > 0) task.timer = setTimeout(expire, missing);
      else die(new TaskTimeout(`stopped after ${timeoutMs} ms`), false);
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
        // The input cannot be cloned, which is a bug in the caller.
        finish({ kind: 'failed', error: asError(error), memory: undefined });
        return;
      }
      // Starting the thread takes long on a busy machine, so it does not count as time of the task.
      if (online) startClock(running);
    },
    cancel() {
      if (running !== undefined) Atomics.store(cancelled, 0, running.id);
    },
    collectGarbage: () => worker.postMessage(COLLECT_GARBAGE),
    lend({ leaving, back }) {
      const listeners: { readonly event: string; readonly call: (detail: unknown) => void }[] = [];
      let over: Promise<void> | undefined;
      worker.ref();
      const lent: Borrower = {
        emit: (event, detail) => {
          for (const listener of listeners) if (listener.event === event) listener.call(detail);
        },
        giveBack(memory) {
          borrower = undefined;
          worker.unref();
          lent.emit('exit', 0);
          back(memory);
        },
      };
      borrower = lent;
      return {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is called with what the thread sends
        on: (event, listener) => listeners.push({ event, call: listener as (detail: unknown) => void }),
        postMessage: (message) => worker.postMessage({ lent: message } satisfies LentMessage),
        ref: () => worker.ref(),
        unref: () => worker.unref(),
        terminate() {
          over ??= new Promise((resolve) => {
            if (dead) return resolve();
            const timer = setTimeout(() => die(new WorkerDied('it was not given back'), false), GIVE_BACK_MS);
            const end = () => {
              clearTimeout(timer);
              resolve();
            };
            listeners.push({ event: 'exit', call: end });
            leaving();
            return worker.postMessage(GIVE_BACK);
          });
          return over;
        },
      };
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
  worker.on('message', (reply: TaskReply | LentMessage | GivenBack) => {
    if ('lent' in reply) return borrower?.emit('message', reply.lent);
    if ('givenBack' in reply) return borrower?.giveBack(reply.givenBack);
    if (reply.id !== running?.id) return;
    const { memory } = reply;
    if (reply.ok) finish({ kind: 'done', output: reply.output, memory });
    else {
      const kept = taintsWorker(reply.failure) ? undefined : memory;
      finish({ kind: 'failed', error: toError(reply.failure), memory: kept });
    }
  });
  const crash = (message: string, cause?: unknown) => die(new WorkerDied(message, { cause }), true);
  worker.on('error', (cause) => {
    borrower?.emit('error', cause);
    crash(`the worker failed: ${String(cause)}`, cause);
  });
  worker.on('messageerror', (cause) => crash('the worker sent a message that cannot be read', cause));
  worker.once('exit', (code) => {
    borrower?.emit('exit', code);
    crash(`the worker exited with code ${code}`);
  });
  return thread;
}

/** Processor time that all threads of this process have used so far. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
