import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbage } from './collectGarbage.ts';
import { standBack } from './standBack.ts';
import type { Task } from './task.ts';
import { TaskCancelled } from './taskErrors.ts';
import {
  describeFailure,
  type TaskReply,
  type TaskRequest,
  type ThreadLimits,
  type ThreadMemory,
  type WorkerSetup,
} from './taskMessages.ts';
import { type TransferableView, viewLike } from './transferable.ts';

/** What an implementation gets beside its input. */
export type TaskContext = {
  /** True once nobody waits for the answer. Long work asks between its steps. */
  readonly isCancelled: () => boolean;
  /** Ends the task when nobody waits for it. */
  readonly throwIfCancelled: () => void;
  /** Marks bytes of the answer that move to the asking side instead of being copied. Use what it returns. */
  readonly transfer: <View extends TransferableView>(view: View) => View;
};

type Implementation<Input, Output> = (input: Input, context: TaskContext) => Output | Promise<Output>;

export type TaskHandler = { readonly name: string; readonly load: () => Promise<Implementation<unknown, unknown>> };

/** Ties a task to the code behind it, which is imported when the task is first asked for. */
export function taskHandler<Input, Output>(
  task: Task<Input, Output>,
  load: () => Promise<Implementation<Input, Output>>,
): TaskHandler {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- by its name it gets only inputs of this task
  return { name: task.name, load: load as TaskHandler['load'] };
}

/** For handlers that share one thing, such as what is remembered of files: made when it is first wanted. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => (loaded ??= load());
}

/** What this thread may hold. */
export function readThreadLimits(): ThreadLimits {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- workerThread.ts sets it
  return (workerData as WorkerSetup).limits;
}

/** Answers the requests of the pool that started this thread. Called once, by the worker's entry. */
export function serveTasks(handlers: readonly TaskHandler[]): void {
  const port = parentPort;
  if (port === null) throw new Error('serveTasks runs in a worker thread only');
  standBack();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- workerThread.ts sets it
  const { cancelled, limits } = workerData as WorkerSetup;
  const byName = new Map(handlers.map((handler) => [handler.name, handler]));

  const answer = async ({ id, task, input }: TaskRequest): Promise<void> => {
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
      const handler = byName.get(task);
      if (handler === undefined) throw new Error(`no worker code is registered for the task ${task}`);
      context.throwIfCancelled();
      const run = await handler.load();
      const output = await run(input, context);
      const reply: TaskReply = { id, ok: true, output, memory: measureMemory(limits) };
      port.postMessage(reply, [...moved]);
    } catch (error) {
      const reply: TaskReply = { id, ok: false, failure: describeFailure(error), memory: measureMemory(limits) };
      port.postMessage(reply);
    }
  };
  port.on('message', (request: TaskRequest) => void answer(request));
}

/** A view that owns its whole buffer; a part of a larger one is copied, for else all of that would move. */
function movable<View extends TransferableView>(view: View, moved: Set<ArrayBuffer>): View {
  if (view.buffer instanceof SharedArrayBuffer) return view;
  if (view.byteLength === view.buffer.byteLength) {
    moved.add(view.buffer);
    return view;
  }
  // Not view.slice(): of a Buffer that is another view.
  const bytes = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
  moved.add(bytes);
  return viewLike(view, bytes);
}

/** So little need not be told apart: for that Node reads a file of the system, which takes as long as some tasks. */
const LITTLE_BYTES = 16 * 2 ** 20;

function measureMemory({ keptBytes }: ThreadLimits): ThreadMemory {
  const before = readMemory();
  if (before.bufferBytes <= keptBytes) return before;
  // An idle thread collects nothing: without this the buffers of its last tasks would stay as long as it does.
  collectGarbage();
  return readMemory();
}

function readMemory(): ThreadMemory {
  const { external_memory: outside, total_heap_size: heapBytes } = getHeapStatistics();
  if (outside <= LITTLE_BYTES) return { wasmBytes: outside, heapBytes, bufferBytes: outside };
  const { external, arrayBuffers, heapTotal } = process.memoryUsage();
  // WebAssembly is what is outside the heap and no array buffer.
  return { wasmBytes: external - arrayBuffers, heapBytes: heapTotal, bufferBytes: arrayBuffers };
}
