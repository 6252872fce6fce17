import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbage } from './collectGarbage.ts';
import { standBack } from './standBack.ts';
import type { Task } from './task.ts';
import { setTaskDeadline } from './taskDeadline.ts';
import { TaskCancelled } from './taskErrors.ts';
import {
  COLLECT_GARBAGE,
  describeFailure,
  GIVE_BACK,
  type GivenBack,
  type LentMessage,
  type TaskReply,
  type TaskRequest,
  type ThreadLimits,
  type ThreadMemory,
  type WorkerSetup,
} from './taskMessages.ts';
import type { ThreadLink } from './threadLink.ts';
import { type TransferableView, viewLike } from './transferable.ts';

/** What an implementation receives in addition to its input. */
export type TaskContext = {
  /** True once no caller waits for the result. Long work checks it between its steps. */
  readonly isCancelled: () => boolean;
  /** Ends the task if no caller waits for it any more. */
  readonly throwIfCancelled: () => void;
  /** Marks bytes of the result to be transferred to the caller instead of copied. Use the returned view. */
  readonly transfer: <View extends TransferableView>(view: View) => View;
};

type Implementation<Input, Output> = (input: Input, context: TaskContext) => Output | Promise<Output>;

export type TaskHandler = { readonly name: string; readonly load: () => Promise<Implementation<unknown, unknown>> };

/** Connects a task to its implementation, which is imported when the task is first requested. */
export function taskHandler<Input, Output, Of>(
  task: Task<Input, Output, Of>,
  load: () => Promise<Implementation<Input, Output>>,
): TaskHandler {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- found by name, so the inputs fit
  return { name: task.name, load: load as TaskHandler['load'] };
}

/** The same of a function of a module, or of an object that is loaded like one. */
export function handler<Input, Output, Of, Name extends string>(
  task: Task<Input, Output, Of>,
  load: () => Promise<{ readonly [Key in NoInfer<Name>]: Implementation<NoInfer<Input>, NoInfer<Output>> }>,
  name: Name,
): TaskHandler {
  return taskHandler(task, async () => (await load())[name]);
}

/** For handlers that share a value, such as the cache of file headers: it is loaded on first use. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => (loaded ??= load());
}

/** The memory limits of this thread. */
export function readThreadLimits(): ThreadLimits {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- workerThread.ts sets it
  return (workerData as WorkerSetup).limits;
}

/** How this thread asks the one that has the connections to other machines. */
export function readRemoteLink(): ThreadLink | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the owner of the thread sets it
  return (workerData as Partial<WorkerSetup> | null)?.remote;
}

/** What a thread of the pool does for someone who borrows it. */
export type LentWork = {
  /** Loads the function that is created for each borrower, with how to answer, and called with its messages. */
  readonly load: () => Promise<(post: (message: unknown) => void) => (message: never) => void>;
  /** Called when the borrower has given the thread back. */
  readonly onEnd: () => void;
};

/** Answers the requests of the pool that started this thread. Called once, by the worker's entry module. */
export function serveTasks(handlers: readonly TaskHandler[], lentWork?: LentWork): void {
  const port = parentPort;
  if (port === null) throw new Error('serveTasks runs in a worker thread only');
  standBack();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- workerThread.ts sets it
  const { cancelled, limits } = workerData as WorkerSetup;
  const byName = new Map(handlers.map((one) => [one.name, one]));

  const answer = async ({ id, task, input, patienceMs }: TaskRequest): Promise<void> => {
    setTaskDeadline(patienceMs);
    const moved = new Set<ArrayBuffer>();
    const isCancelled = () => Atomics.load(cancelled, 0) === id;
    const context: TaskContext = {
      isCancelled,
      throwIfCancelled: () => {
        if (isCancelled()) throw new TaskCancelled('cancelled');
      },
      transfer: (view) => movable(view, moved),
    };
    try {
      const known = byName.get(task);
      if (known === undefined) throw new Error(`no worker code is registered for the task ${task}`);
      context.throwIfCancelled();
      const run = await known.load();
      const output = await run(input, context);
      const reply: TaskReply = { id, ok: true, output, memory: measureMemory(limits) };
      port.postMessage(reply, [...moved]);
    } catch (error) {
      const reply: TaskReply = { id, ok: false, failure: describeFailure(error), memory: measureMemory(limits) };
      port.postMessage(reply);
    }
  };
  let lent: Promise<(message: never) => void> | undefined;
  const workForBorrower = async (message: unknown) => {
    setTaskDeadline(Infinity);
    lent ??= lentWork
      ?.load()
      .then((begin) => begin((reply) => port.postMessage({ lent: reply } satisfies LentMessage)));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the borrower sends
    (await lent)?.(message as never);
  };
  const giveBack = async () => {
    // After the messages that came before.
    await lent;
    lent = undefined;
    lentWork?.onEnd();
    port.postMessage({ givenBack: measureMemory(limits) } satisfies GivenBack);
  };
  port.on('message', (request: TaskRequest | LentMessage | typeof COLLECT_GARBAGE | typeof GIVE_BACK) => {
    if (request === COLLECT_GARBAGE) collectGarbage();
    else if (request === GIVE_BACK) void giveBack();
    else if ('lent' in request) void workForBorrower(request.lent);
    else void answer(request);
  });
}

/**
 * Returns a view that owns its whole buffer. A part of a larger buffer is copied, because otherwise all of it would
 * move.
 */
function movable<View extends TransferableView>(view: View, moved: Set<ArrayBuffer>): View {
  if (view.buffer instanceof SharedArrayBuffer) return view;
  if (view.byteLength === view.buffer.byteLength) {
    moved.add(view.buffer);
    return view;
  }
  // Not view.slice(): for a Buffer that is another view of the same memory.
  const bytes = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
  moved.add(bytes);
  return viewLike(view, bytes);
}

/**
 * Up to this size, external memory is not split by kind: for that, Node reads a system file, which takes as long as
 * some tasks.
 */
const LITTLE_BYTES = 16 * 2 ** 20;
function measureMemory({ keptBytes, heapBytes }: ThreadLimits): ThreadMemory {
  const before = readMemory();
  if (before.bufferBytes <= keptBytes && before.heapBytes <= heapBytes) return before;
  // An idle thread does not collect garbage: without this, the objects and buffers of its last tasks would stay until
  // it ends, beside the next task of another thread.
  collectGarbage();
  return readMemory();
}

function readMemory(): ThreadMemory {
  const { external_memory: outside, total_heap_size: heapBytes } = getHeapStatistics();
  if (outside <= LITTLE_BYTES) return { wasmBytes: outside, heapBytes, bufferBytes: outside };
  const { external, arrayBuffers, heapTotal } = process.memoryUsage();
  // WebAssembly memory is the external memory that does not belong to array buffers.
  return { wasmBytes: external - arrayBuffers, heapBytes: heapTotal, bufferBytes: arrayBuffers };
}
