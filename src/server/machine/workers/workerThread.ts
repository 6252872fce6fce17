import type { EventEmitter } from 'node:events';
import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads';
import { asError } from '../../../shared/asError.ts';
import type { Thread, ThreadEvents } from './startThread.ts';
import { isLinkAwaited, type ThreadLink } from './threadLink.ts';
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
  /** The thread ended, either by itself or because it was terminated. */
  | {
      readonly kind: 'died';
      readonly error: WorkerDied | TaskTimeout;
      /** The task ended the thread or took too long. Otherwise the same task may succeed in another thread. */
      readonly isFault: boolean;
      /** Resolves when the thread holds no memory any more. */
      readonly gone: Promise<void>;
    };

type ThreadTask = Omit<TaskRequest, 'id' | 'patienceMs'> & { readonly transfer: readonly ArrayBuffer[] };

export type WorkerThread = {
  /**
   * Runs one task; call it only when no other task is running. `settle` is called exactly once, whatever the thread
   * does: it may have died already, never start, or never answer.
   */
  readonly run: (task: ThreadTask, timeoutMs: number, settle: (outcome: TaskOutcome) => void) => void;
  /** Tells the running task that no caller waits for it. A thread whose task goes on after that is terminated. */
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
  isCancelled: boolean;
  timer?: NodeJS.Timeout;
};

/** What is used of a worker of Node. Tests have their own, which fail in ways that a real one rarely does. */
export type RawWorker = Pick<Worker, 'postMessage' | 'terminate' | 'ref' | 'unref'> & Pick<EventEmitter, 'on' | 'once'>;
export type StartWorker = (file: URL, options: WorkerOptions) => RawWorker;

// Off-heap memory, which holds pixels and WebAssembly, is not counted here; the account limits it (memoryAccount.ts). A
// young generation of 24 MB has two halves of 8 MB. With 32 MB, V8 would double the halves after an hour of work and
// never shrink them again.
const LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 24, stackSizeMb: 4 };

/** A task that waits for a disk or for processor time is terminated after this multiple of its time limit. */
const STARVED_FACTOR = 4;
/**
 * How long a task may go on that no caller waits for. The frames that are given up while a user scrolls are decoded in
 * less: a new thread for each would take longer, and would not have the headers that the old one remembers.
 */
const GRACE_MS = 500;
/** Starting takes tens of milliseconds, and seconds on a busy machine. A thread that takes longer never starts. */
const START_MS = 30_000;
/** A terminated thread that has not exited after this time hangs in a system call, perhaps forever. */
export const LOST_MS = 30_000;

export type Death = {
  /** The thread ended by itself or never started; it was not terminated because of its task. */
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
    startWorker = (url, options) => new Worker(url, options),
  }: {
    readonly file: URL;
    readonly limits: ThreadLimits;
    readonly remote?: ThreadLink | undefined;
    readonly startWorker?: StartWorker | undefined;
  },
  onDeath: (thread: WorkerThread, death: Death) => void,
): WorkerThread {
  const cancelled = new Int32Array(new SharedArrayBuffer(4));
  const setup: WorkerSetup = { cancelled, limits, remote };
  const maxOldGenerationSizeMb = Math.ceil(limits.mostHeapBytes / 2 ** 20);
  const resourceLimits = { ...LIMITS, maxOldGenerationSizeMb };
  const transferList = remote === undefined ? [] : [remote.port];
  openSharedNote();
  const worker = startWorker(file, { workerData: setup, transferList, execArgv: [], resourceLimits });
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

  const die = (error: WorkerDied | TaskTimeout, { crashed = false, isFault = false } = {}) => {
    if (!dead) {
      dead = true;
      clearTimeout(starting);
      void worker.terminate();
      onDeath(thread, { crashed, ended });
    }
    if (running !== undefined) finish({ kind: 'died', error, isFault, gone: within(LOST_MS, ended) });
  };
  const starting = setTimeout(
    () => die(new WorkerDied(`it did not start within ${START_MS} ms`), { crashed: true }),
    START_MS,
  ).unref();

  const startClock = (task: Running) => {
    const limitMs = task.isCancelled ? GRACE_MS : task.timeoutMs;
    const patience = performance.now() + limitMs * STARVED_FACTOR;
    let begun = processorMs();
    const expire = () => {
      // While it waits for another machine, the processor works for others.
      if (remote !== undefined && !task.isCancelled && isLinkAwaited(remote)) begun = processorMs();
      // If all threads of the process together have used less processor time than this task may take, the machine is
      // busy and the task is not slow.
      const missing = Math.min(limitMs - (processorMs() - begun), patience - performance.now());
      if (missing > 0) task.timer = setTimeout(expire, missing);
      else if (task.isCancelled) die(new WorkerDied('its task went on although no caller waited for it'));
      else die(new TaskTimeout(`stopped after ${limitMs} ms`), { isFault: true });
    };
    clearTimeout(task.timer);
    task.timer = setTimeout(expire, limitMs);
  };

  const thread: WorkerThread = {
    run({ task, input, transfer }, timeoutMs, settle) {
      lastId = (lastId + 1) | 0;
      const request: TaskRequest = { id: lastId, task, input, patienceMs: timeoutMs * STARVED_FACTOR };
      running = { id: lastId, timeoutMs, settle, isCancelled: false };
      if (dead) return die(new WorkerDied('it had ended before'));
      worker.ref();
      try {
        worker.postMessage(request, transfer);
      } catch (error) {
        // The input cannot be cloned, which is a bug in the caller.
        finish({ kind: 'failed', error: asError(error), memory: undefined });
        return;
      }
      // Starting the thread takes long on a busy machine, so it does not count as time of the task; it has its own limit.
      if (online) startClock(running);
    },
    cancel() {
      if (running === undefined) return;
      Atomics.store(cancelled, 0, running.id);
      running.isCancelled = true;
      if (online) startClock(running);
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
            const timer = setTimeout(() => die(new WorkerDied('it was not given back')), GIVE_BACK_MS);
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
      die(new WorkerDied(reason));
      return ended;
    },
  };

  worker.once('online', () => {
    online = true;
    clearTimeout(starting);
    if (running !== undefined) startClock(running);
  });
  worker.on('message', (reply: TaskReply | LentMessage | GivenBack) => {
    // What it sent before it was terminated still arrives. It must not come back as a thread that runs tasks.
    if (dead) return;
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
  const crash = (message: string, cause?: unknown) =>
    die(new WorkerDied(message, { cause }), { crashed: true, isFault: online });
  worker.on('error', (cause: unknown) => {
    borrower?.emit('error', cause);
    crash(`the worker failed: ${String(cause)}`, cause);
  });
  worker.on('messageerror', (cause: unknown) => crash('the worker sent a message that cannot be read', cause));
  worker.once('exit', (code: number) => {
    borrower?.emit('exit', code);
    crash(`the worker exited with code ${code}`);
  });
  return thread;
}

/** Resolves when the work is done, and after this time at the latest. */
function within(ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms).unref();
    const finish = () => {
      clearTimeout(timer);
      resolve();
    };
    void work.then(finish);
  });
}

/** Processor time that all threads of this process have used so far. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
