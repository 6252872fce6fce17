import { setTimeout as wait } from 'node:timers/promises';
import { getPriority } from 'node:os';
import { threadId } from 'node:worker_threads';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { serveTasks, taskHandler } from '../../src/server/machine/workers/serveTasks.ts';
import * as tasks from './faultyTasks.ts';

let lastTransferred: ArrayBufferLike = new ArrayBuffer(0);
const wasmMemories: WebAssembly.Memory[] = [];
const kept: (Uint8Array | object[])[] = [];
let garbage: WeakRef<object> | undefined;

const TASKS = [
  taskHandler(tasks.echoTask, async () => (text) => text),
  taskHandler(tasks.echoBytesTask, async () => (views) => views),
  taskHandler(tasks.threadIdTask, async () => () => threadId),
  taskHandler(tasks.niceTask, async () => () => getPriority()),
  taskHandler(tasks.sleepTask, async () => async ({ ms, answer }) => {
    await wait(ms);
    return answer;
  }),
  taskHandler(tasks.spinTask, async () => () => {
    for (;;);
  }),
  taskHandler(tasks.stubbornTask, async () => ({ state }) => {
    Atomics.store(state, 0, 1);
    for (;;);
  }),
  taskHandler(tasks.untilCancelledTask, async () => async ({ state }, context) => {
    Atomics.store(state, 0, 1);
    for (;;) {
      await wait(1);
      if (context.isCancelled()) Atomics.store(state, 0, 2);
      context.throwIfCancelled();
    }
  }),
  taskHandler(tasks.countRunsTask, async () => async ({ runs, ms }) => {
    const run = Atomics.add(runs, 0, 1) + 1;
    await wait(ms);
    return run;
  }),
  taskHandler(tasks.exitTask, async () => async ({ afterMs }) => {
    await wait(afterMs);
    process.exit(7);
  }),
  taskHandler(tasks.uncaughtTask, async () => async () => {
    setImmediate(() => {
      throw new Error('out of nowhere');
    });
    return wait<never>(60_000);
  }),
  taskHandler(tasks.outOfMemoryTask, async () => () => {
    const hoard: number[][] = [];
    for (;;) hoard.push(Array.from({ length: 10_000 }, (_, i) => i + 0.5));
  }),
  taskHandler(tasks.refuseTask, async () => ({ code }) => {
    throw new ViewerError(code, `refused as ${code}`);
  }),
  taskHandler(tasks.bugTask, async () => () => {
    throw new RangeError('a bug in /home/somebody');
  }),
  taskHandler(tasks.unclonableTask, async () => () => () => 'a function'),
  taskHandler(tasks.growWasmTask, async () => ({ bytes }) => {
    wasmMemories.push(new WebAssembly.Memory({ initial: Math.ceil(bytes / 65_536) }));
    return wasmMemories.length;
  }),
  taskHandler(tasks.growHeapTask, async () => ({ objects, fails, keeps }) => {
    const all = Array.from({ length: objects }, (_, i) => ({ i, text: [i] }));
    if (keeps) kept.push(all);
    if (fails) throw new ViewerError('file_read_failed', 'refused');
    return all.length;
  }),
  taskHandler(tasks.createGarbageTask, async () => () => {
    garbage = new WeakRef({});
    return undefined;
  }),
  taskHandler(tasks.isGarbageGoneTask, async () => () => garbage?.deref() === undefined),
  taskHandler(
    tasks.keepBytesTask,
    async () =>
      ({ bytes }) =>
        kept.push(new Uint8Array(bytes)),
  ),
  taskHandler(tasks.bytesTask, async () => ({ from }, context) => {
    const bytes = {
      whole: () => Uint8Array.of(1, 2, 3),
      part: () => Uint8Array.of(9, 1, 2, 3, 9).subarray(1, 4),
      pooled: () => Buffer.from([1, 2, 3]),
    }[from]();
    const moved = context.transfer(bytes);
    lastTransferred = moved.buffer;
    return moved;
  }),
  taskHandler(tasks.heldAfterTransferTask, async () => () => lastTransferred.byteLength),
];

serveTasks(TASKS, {
  load: async () => (post) => (message: 'spin' | 'die' | 'hello') => {
    if (message === 'die') process.exit(3);
    if (message === 'spin') for (;;);
    post(`${message} from ${threadId}`);
  },
  onEnd() {},
});
