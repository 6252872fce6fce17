import * as fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bundleWorker } from '../../../../test/support/bundleWorker.ts';
import * as tasks from '../../../../test/support/faultyTasks.ts';
import { ScriptedWorker, type ThreadScript } from '../../../../test/support/scriptedWorker.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { setArrival } from './arrival.ts';
import type { Thread } from './startThread.ts';
import { defineTask, type PoolTaskOptions } from './task.ts';
import { TaskFailed, TaskQuarantined, TaskTimeout, WorkerDied } from './taskErrors.ts';
import { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from './workerPool.ts';
import { needs } from '../../../../test/support/needs.ts';

let file: URL;
beforeAll(async () => {
  file = await bundleWorker(new URL('../../../../test/support/faultyWorker.ts', import.meta.url));
});

afterAll(() => rm(new URL('.', file), { recursive: true }));

// Generous, because a thread takes long to start on a busy machine.
const timeoutMs = 60_000;

function createPool(options: WorkerPoolOptions = {}) {
  const pool = createWorkerPool({ file, size: 2, ...options });
  onTestFinished(() => pool.close());
  return pool;
}

function sharedNumber() {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** Blocks this thread. */
function block(ms: number): void {
  Atomics.wait(sharedNumber(), 0, 0, ms);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(2);
}

describe('callers', () => {
  test('a request that has waited for long is told that the server is busy, if no thread works for it yet', async () => {
    const pool = createPool({ size: 1 });
    const { signal } = new AbortController();
    setArrival(signal, { atMs: performance.now() - 60_000 });
    const state = sharedNumber();
    const aborter = new AbortController();
    const running = pool.run(tasks.untilCancelledTask, { state }, { timeoutMs, signal: aborter.signal });
    running.catch(() => undefined);
    await until(() => pool.statistics().busy === 1);

    const background = pool.run(tasks.echoTask, 'of nobody', { timeoutMs });
    await expect(pool.run(tasks.echoTask, 'late', { timeoutMs, signal })).rejects.toMatchObject({
      code: 'decode_busy',
    });
    expect(pool.statistics()).toMatchObject({ queuedInteractive: 1, abandoned: 1 });

    aborter.abort();
    expect(await background).toBe('of nobody');
    // A task that runs is not given up.
    expect(await pool.run(tasks.sleepTask, { ms: 100, answer: 'slept' }, { timeoutMs, signal })).toBe('slept');
  });
});

describe('threads', () => {
  test('no thread starts before the first task', async () => {
    const pool = createPool();
    expect(pool.statistics().threads).toBe(0);

    expect(await pool.run(tasks.echoTask, 'hello', { timeoutMs })).toBe('hello');

    expect(pool.statistics()).toMatchObject({ threads: 1, started: 1, completed: 1, busy: 0 });
  });

  test('they stand back behind the thread that asks', needs('Linux'), async () => {
    const asking = getPriority();
    const nice = await createPool().run(tasks.niceTask, undefined, { timeoutMs });
    // On Linux a higher number is a lower priority; 19 is the lowest.
    expect(nice).toBe(Math.min(asking + 3, 19));
    expect(getPriority()).toBe(asking);
  });

  test('listed buffers are transferred, and the rest is copied', async () => {
    const [moving, staying] = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)];

    const input = { moving, staying };
    const answer = await createPool().run(tasks.echoBytesTask, input, { timeoutMs, transfer: [moving.buffer] });

    expect(answer).toEqual({ moving: Uint8Array.of(1, 2, 3), staying: Uint8Array.of(4, 5) });
    expect([moving.length, staying.length]).toEqual([0, 2]);
  });

  test('tasks one after another use one thread', async () => {
    const pool = createPool();
    for (let i = 0; i < 20; i++) await pool.run(tasks.echoTask, String(i), { timeoutMs });
    expect(pool.statistics().started).toBe(1);
  });

  test('there are never more threads than the size', async () => {
    const pool = createPool({ size: 2 });
    const answers = Array.from({ length: 12 }, (_, i) =>
      pool.run(tasks.sleepTask, { ms: 3, answer: String(i) }, { timeoutMs }),
    );
    expect(pool.statistics()).toMatchObject({ threads: 2, busy: 2, queuedInteractive: 10 });
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 12 }, (_, i) => String(i)));
    expect(pool.statistics().started).toBe(2);
  });

  test('idle threads end until one is left', async () => {
    const pool = createPool({ size: 3, idleMs: 50 });
    await Promise.all([1, 2, 3].map(() => pool.run(tasks.sleepTask, { ms: 20, answer: '' }, { timeoutMs })));
    expect(pool.statistics().started).toBe(3);
    await until(() => pool.statistics().threads === 1);
    expect(await pool.run(tasks.echoTask, 'still here', { timeoutMs })).toBe('still here');
    expect(pool.statistics().started).toBe(3);
  });

  test('a thread that was started in advance runs the first task', async () => {
    const pool = createPool({ size: 2 });
    pool.prepare();
    expect(pool.statistics()).toMatchObject({ threads: 1, started: 1, busy: 0 });
    expect(await pool.run(tasks.echoTask, 'first', { timeoutMs })).toBe('first');
    pool.prepare();
    expect(pool.statistics()).toMatchObject({ threads: 1, started: 1 });
  });

  test('a thread that was lent runs tasks when it is given back, and no other one starts for them', async () => {
    const pool = createPool({ size: 2 });
    const lent = pool.lend()!;
    const heard = new Promise((resolve) => lent.on('message', resolve));
    const ended = new Promise((resolve) => lent.on('exit', resolve));
    lent.postMessage('hello');
    expect(await heard).toMatch(/^hello from \d+$/);

    const gone = lent.terminate();
    const first = pool.run(tasks.echoTask, 'waits for the thread', { timeoutMs });
    pool.prepare();

    expect(await first).toBe('waits for the thread');
    await Promise.all([gone, ended]);
    expect(pool.statistics()).toMatchObject({ threads: 1, started: 1 });
  });

  test('while a thread is lent, tasks run in others', async () => {
    const pool = createPool({ size: 2 });
    pool.lend();
    expect(await pool.run(tasks.echoTask, 'meanwhile', { timeoutMs })).toBe('meanwhile');
    expect(pool.statistics()).toMatchObject({ threads: 2, started: 2 });
  });

  test('a thread that comes back while another one is idle ends', async () => {
    const pool = createPool({ size: 2 });
    const lent = pool.lend()!;
    await pool.run(tasks.echoTask, 'meanwhile', { timeoutMs });
    await lent.terminate();
    await until(() => pool.statistics().ending === 0);
    expect(pool.statistics()).toMatchObject({ threads: 1, started: 2 });
  });

  test('a lent thread that cannot be given back ends, and tasks get another one', async () => {
    const pool = createPool({ size: 1 });
    const lent = pool.lend()!;
    lent.postMessage('spin');
    void lent.terminate();
    expect(await pool.run(tasks.echoTask, 'in another', { timeoutMs })).toBe('in another');
    expect(pool.statistics()).toMatchObject({ threads: 1, started: 2 });
  });

  test('a lent thread that ended although it was given back runs no task', async () => {
    const pool = createPool({ size: 1 });
    const lent = pool.lend()!;
    const heard = new Promise((resolve) => lent.on('message', resolve));
    lent.postMessage('hello');
    await heard;
    // The event loop looks at its timers next, and at messages later.
    await nextTurn();
    void lent.terminate();
    // The thread answers at once, but the time for that is over when this thread looks for the answer.
    block(400);
    expect(await pool.run(tasks.echoTask, 'in another', { timeoutMs })).toBe('in another');
    expect(pool.statistics()).toMatchObject({ threads: 1, started: 2 });
  });

  test('the borrower of a thread is told that it died', async () => {
    const pool = createPool({ size: 1 });
    const lent = pool.lend()!;
    const code = new Promise((resolve) => lent.on('exit', resolve));
    lent.postMessage('die');
    expect(await code).toBe(3);
    await lent.terminate();
    expect(await pool.run(tasks.echoTask, 'in another', { timeoutMs })).toBe('in another');
  });

  test('the idle thread that stays collects its garbage, because it would not do so without work', async () => {
    const pool = createPool({ size: 1, idleMs: 20 });
    await pool.run(tasks.createGarbageTask, undefined, { timeoutMs });
    await wait(100);
    expect(await pool.run(tasks.isGarbageGoneTask, undefined, { timeoutMs })).toBe(true);
    expect(pool.statistics()).toMatchObject({ threads: 1, started: 1 });
  });

  test('idle threads that hold more than they may together end at once, and the last stays', async () => {
    const told: number[] = [];
    const pool = createPool({
      size: 3,
      memory: {
        keptBytes: 2 ** 30,
        inflatedBytes: 2 ** 30,
        idleBytes: 2 ** 20,
        onIdleBytes: (bytes) => told.push(bytes),
      },
    });
    await Promise.all([1, 2, 3].map(() => pool.run(tasks.sleepTask, { ms: 20, answer: '' }, { timeoutMs })));
    await until(() => pool.statistics().threads === 1);
    expect(pool.statistics()).toMatchObject({ started: 3, recycled: 2 });
    // The heap of a single thread is larger than 1 MiB.
    expect(told.at(-1)).toBeGreaterThan(2 ** 20);
    expect(await pool.run(tasks.echoTask, 'still here', { timeoutMs })).toBe('still here');
  });

  test('the last idle thread ends at once if it has grown much while the process is larger than it may be', async () => {
    let isScarce = false;
    const pool = createPool({ size: 1, memory: { idleBytes: 2 ** 20, isScarce: () => isScarce } });
    const grow = () => pool.run(tasks.keepBytesTask, { bytes: 60 * 2 ** 20 }, { timeoutMs });

    await grow();
    expect(pool.statistics()).toMatchObject({ threads: 1, recycled: 0 });
    isScarce = true;
    await grow();
    await until(() => pool.statistics().threads === 0);
    expect(pool.statistics()).toMatchObject({ started: 1, recycled: 1 });
    await pool.run(tasks.echoTask, 'small', { timeoutMs });
    expect(pool.statistics()).toMatchObject({ threads: 1, recycled: 1 });
  });

  test.each([
    [
      'heap',
      (pool: WorkerPool) =>
        pool.run(tasks.growHeapTask, { objects: 1_000_000, fails: false, keeps: true }, { timeoutMs }),
    ],
    ['buffers', (pool: WorkerPool) => pool.run(tasks.keepBytesTask, { bytes: 60 * 2 ** 20 }, { timeoutMs })],
    ['WebAssembly', (pool: WorkerPool) => pool.run(tasks.growWasmTask, { bytes: 140 * 2 ** 20 }, { timeoutMs })],
  ])('an idle thread ends though it is the last where its memory has grown: %s', async (_, grow) => {
    const pool = createPool({ size: 1, idleMs: 50, memory: { heapBytes: 2 ** 40 } });
    await grow(pool);
    await until(() => pool.statistics().threads === 0);
    expect(await pool.run(tasks.echoTask, 'another', { timeoutMs })).toBe('another');
    expect(pool.statistics()).toMatchObject({ started: 2, recycled: 0 });
  });
});

/** Returns the names in the order in which the jobs ended. */
async function runInOrder(pool: WorkerPool, jobs: readonly (readonly [string, 'interactive' | 'prefetch'])[]) {
  const order: string[] = [];
  const run = async ([answer, priority]: (typeof jobs)[number]) => {
    order.push(await pool.run(tasks.sleepTask, { ms: 5, answer }, { timeoutMs, priority }));
  };
  await Promise.all(jobs.map(run));
  return order;
}

describe('priorities', () => {
  test('an interactive task starts at once while prefetch fills the rest', async () => {
    const pool = createPool({ size: 2 });
    const aborter = new AbortController();
    const options = { timeoutMs, priority: 'prefetch', signal: aborter.signal } as const;
    const endless = [1, 2, 3].map(() => pool.run(tasks.untilCancelledTask, { state: sharedNumber() }, options));
    expect(pool.statistics()).toMatchObject({ busy: 1, queuedPrefetch: 2 });

    expect(await pool.run(tasks.echoTask, 'interactive', { timeoutMs })).toBe('interactive');

    aborter.abort();
    const outcomes = await Promise.allSettled(endless);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  test('prefetch that a user waits for uses all workers, and comes before other prefetch', async () => {
    const pool = createPool({ size: 2, overdueMs: timeoutMs });
    const aborter = new AbortController();
    const options = { timeoutMs, priority: 'prefetch', signal: aborter.signal } as const;
    const endless = [
      pool.run(tasks.untilCancelledTask, { state: sharedNumber() }, options),
      pool.run(tasks.untilCancelledTask, { state: sharedNumber() }, options),
      pool.run(tasks.untilCancelledTask, { state: sharedNumber() }, { ...options, isAwaited: true }),
    ];
    expect(pool.statistics()).toMatchObject({ busy: 2, queuedPrefetch: 1 });
    aborter.abort();
    await Promise.allSettled(endless);

    const order: string[] = [];
    const run = async (answer: string, more: { priority?: 'prefetch'; isAwaited?: boolean }) => {
      order.push(await lone.run(tasks.sleepTask, { ms: 5, answer }, { timeoutMs, ...more }));
    };
    const lone = createPool({ size: 1, overdueMs: timeoutMs });
    await Promise.all([
      run('running', {}),
      run('unasked', { priority: 'prefetch' }),
      run('awaited', { priority: 'prefetch', isAwaited: true }),
      run('urgent', {}),
    ]);
    expect(order).toEqual(['running', 'urgent', 'awaited', 'unasked']);
  });

  test('interactive work overtakes prefetch that waits', async () => {
    const pool = createPool({ size: 1, overdueMs: timeoutMs });
    const order = await runInOrder(pool, [
      ['first', 'prefetch'],
      ['second', 'prefetch'],
      ['urgent', 'interactive'],
    ]);
    expect(order).toEqual(['first', 'urgent', 'second']);
  });

  test('prefetch that is overdue takes turns with interactive work', async () => {
    const pool = createPool({ size: 1, overdueMs: -1 });
    const order = await runInOrder(pool, [
      ['running', 'interactive'],
      ['a', 'interactive'],
      ['b', 'interactive'],
      ['c', 'interactive'],
      ['late', 'prefetch'],
      ['later', 'prefetch'],
    ]);
    expect(order).toEqual(['running', 'late', 'a', 'later', 'b', 'c']);
  });
});

test('a step that a user waits for is overdue by the age of its request', async () => {
  const run = async (atMs: number) => {
    const request = new AbortController();
    setArrival(request.signal, { atMs });
    const pool = createPool({ size: 1, overdueMs: timeoutMs });
    const order: string[] = [];
    const ask = async (answer: string, more: Partial<PoolTaskOptions>) => {
      order.push(await pool.run(tasks.sleepTask, { ms: 5, answer }, { timeoutMs, ...more }));
    };
    await Promise.all([
      ask('running', {}),
      ask('image', {}),
      ask('step', { priority: 'prefetch', isAwaited: true, signal: request.signal }),
    ]);
    return order;
  };
  expect(await run(performance.now())).toEqual(['running', 'image', 'step']);
  expect(await run(performance.now() - 2 * timeoutMs)).toEqual(['running', 'step', 'image']);
});

describe('abort', () => {
  test('an aborted task that waits is dropped and never runs', async () => {
    const pool = createPool({ size: 1 });
    const runs = sharedNumber();
    const first = pool.run(tasks.countRunsTask, { runs, ms: 50 }, { timeoutMs });
    const aborter = new AbortController();
    const second = pool.run(tasks.countRunsTask, { runs, ms: 0 }, { timeoutMs, signal: aborter.signal });
    aborter.abort(new Error('not wanted'));

    await expect(second).rejects.toThrow('not wanted');
    await first;
    await pool.run(tasks.echoTask, 'after', { timeoutMs });
    expect(runs[0]).toBe(1);
  });

  test('a running task that is aborted is asked to stop, and its thread runs the next one', async () => {
    const pool = createPool({ size: 1 });
    const state = sharedNumber();
    const aborter = new AbortController();
    const running = pool.run(tasks.untilCancelledTask, { state }, { timeoutMs, signal: aborter.signal });
    await until(() => Atomics.load(state, 0) === 1);
    aborter.abort();

    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(await pool.run(tasks.echoTask, 'next', { timeoutMs })).toBe('next');
    expect(state[0]).toBe(2);
    expect(pool.statistics()).toMatchObject({ started: 1, abandoned: 1, recycled: 0 });
  });

  test('a task that goes on although it is aborted ends with its thread, and is not blamed for that', async () => {
    const pool = createPool({ size: 1 });
    for (let i = 0; i < 6; i += 1) {
      const aborter = new AbortController();
      const options = { timeoutMs, key: 'slow', signal: aborter.signal };
      const state = sharedNumber();
      const { answer, freed } = pool.begin(tasks.stubbornTask, { state }, options);
      const outcome = answer.catch(String);
      await until(() => Atomics.load(state, 0) === 1);
      aborter.abort(new Error('left'));
      expect(await outcome).toContain('left');
      expect(pool.statistics()).toMatchObject({ busy: 1 });
      await freed;
      expect(pool.statistics()).toMatchObject({ busy: 0, ending: 0 });
    }
    // More than five crashes in a row would be taken for hopeless, and two deaths for a key that kills threads.
    expect(await pool.run(tasks.echoTask, 'next', { timeoutMs, key: 'slow' })).toBe('next');
    expect(pool.statistics()).toMatchObject({ stopped: 6, died: 0, quarantined: 0 });
  });

  test('a short task that is aborted keeps its thread', async () => {
    const pool = createPool({ size: 1 });
    for (let i = 0; i < 10; i += 1) {
      const aborter = new AbortController();
      const options = { timeoutMs, signal: aborter.signal };
      const { answer, freed } = pool.begin(tasks.sleepTask, { ms: 20, answer: '' }, options);
      const outcome = answer.catch(String);
      aborter.abort(new Error('left'));
      expect(await outcome).toContain('left');
      await freed;
    }
    expect(pool.statistics()).toMatchObject({ started: 1, stopped: 0, abandoned: 10 });
  });

  test('a signal that is aborted already never reaches the queue', async () => {
    const pool = createPool();
    await expect(
      pool.run(tasks.echoTask, '', { timeoutMs, signal: AbortSignal.abort(new Error('too late')) }),
    ).rejects.toThrow('too late');
    expect(pool.statistics().started).toBe(0);
  });
});

describe('identical tasks in flight', () => {
  test('run once and share the answer', async () => {
    const pool = createPool();
    const input = { runs: sharedNumber(), ms: 20 };
    const options = { timeoutMs, shareKey: 'frame 3' };
    const answers = await Promise.all([1, 2, 3].map(() => pool.run(tasks.countRunsTask, input, options)));

    expect(answers).toEqual([1, 1, 1]);
    expect(pool.statistics().shared).toBe(2);
    expect(await pool.run(tasks.countRunsTask, input, options)).toBe(2);
  });

  test('go on while one of them still waits', async () => {
    const pool = createPool();
    const input = { runs: sharedNumber(), ms: 30 };
    const aborter = new AbortController();
    const leaving = pool.run(tasks.countRunsTask, input, { timeoutMs, shareKey: 'a', signal: aborter.signal });
    const staying = pool.run(tasks.countRunsTask, input, { timeoutMs, shareKey: 'a' });
    aborter.abort(new Error('left'));

    await expect(leaving).rejects.toThrow('left');
    expect(await staying).toBe(1);
  });

  test('are not joined to one that was told to stop', async () => {
    const pool = createPool({ size: 2 });
    const state = sharedNumber();
    const aborter = new AbortController();
    const left = pool.run(tasks.untilCancelledTask, { state }, { timeoutMs, shareKey: 'a', signal: aborter.signal });
    await until(() => Atomics.load(state, 0) === 1);
    aborter.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');

    expect(await pool.run(tasks.echoTask, 'fresh', { timeoutMs, shareKey: 'a' })).toBe('fresh');
  });

  test('end with their thread when the last one has left, and not before', async () => {
    const pool = createPool({ size: 1 });
    const [first, last] = [new AbortController(), new AbortController()];
    const state = sharedNumber();
    const begin = ({ signal }: AbortController) => {
      const joined = pool.begin(tasks.stubbornTask, { state }, { timeoutMs, shareKey: 'a', signal });
      return { ...joined, outcome: joined.answer.catch(String) };
    };
    const [leaving, staying] = [begin(first), begin(last)];
    first.abort(new Error('left'));
    expect(await leaving.outcome).toContain('left');
    // The memory of the one that left is free, and the work goes on for the other one, longer than an aborted task may.
    await leaving.freed;
    await wait(2_500);
    expect(pool.statistics()).toMatchObject({ busy: 1, stopped: 0, abandoned: 0 });

    last.abort(new Error('left'));
    expect(await staying.outcome).toContain('left');
    await staying.freed;
    expect(pool.statistics()).toMatchObject({ busy: 0, stopped: 1, abandoned: 1 });
  });

  test('turn a waiting prefetch into interactive work', async () => {
    const pool = createPool({ size: 1 });
    const order: string[] = [];
    const run = async (answer: string, priority: 'interactive' | 'prefetch', shareKey: string, ms = 5) => {
      order.push(await pool.run(tasks.sleepTask, { ms, answer }, { timeoutMs, priority, shareKey }));
    };
    await Promise.all([
      // Long enough for the others to wait behind it.
      run('running', 'interactive', 'r', 500),
      run('b', 'prefetch', 'b'),
      run('c', 'prefetch', 'c'),
      run('c', 'interactive', 'c'),
    ]);
    expect(order).toEqual(['running', 'c', 'c', 'b']);
  });
});

describe('failures', () => {
  test('a ViewerError keeps code and message, and the thread', async () => {
    const pool = createPool();
    const failure = pool.run(tasks.refuseTask, { code: 'file_gone' }, { timeoutMs });
    await expect(failure).rejects.toBeInstanceOf(ViewerError);
    await expect(failure).rejects.toMatchObject({ code: 'file_gone', message: 'refused as file_gone' });
    expect(pool.statistics()).toMatchObject({ threads: 1, recycled: 0, failed: 1 });
  });

  test('a bug ends its thread; a frame that cannot be decoded does not', async () => {
    const pool = createPool({ size: 1 });
    const threadId = () => pool.run(tasks.threadIdTask, undefined, { timeoutMs });
    const before = await threadId();
    const refused = pool.run(tasks.refuseTask, { code: 'pixel_decode_failed' }, { timeoutMs });
    await expect(refused).rejects.toThrow(ViewerError);
    expect(await threadId()).toBe(before);
    await expect(pool.run(tasks.bugTask, undefined, { timeoutMs })).rejects.toThrow(TaskFailed);
    expect(await threadId()).not.toBe(before);
    expect(pool.statistics().recycled).toBe(1);
  });

  test('a bug arrives with the stack of the worker, for the log', async () => {
    const pool = createPool();
    const failure = pool.run(tasks.bugTask, undefined, { timeoutMs });
    await expect(failure).rejects.toBeInstanceOf(TaskFailed);
    await expect(failure).rejects.toMatchObject({
      message: 'RangeError: a bug in /home/somebody',
      stack: expect.stringContaining('worker.mjs'),
    });
  });

  test.each([
    ['an answer that cannot be cloned', () => createPool().run(tasks.unclonableTask, undefined, { timeoutMs })],
    [
      'an input that cannot be cloned',
      () => createPool().run(defineTask<unknown, unknown>('echo', { timeoutMs, bytes: 0 }), () => 0, { timeoutMs }),
    ],
    [
      'a task that nobody implements',
      () => createPool().run(defineTask('unknown', { timeoutMs, bytes: 0 }), undefined, { timeoutMs }),
    ],
  ])('%s is an error, not a wait', async (_, run) => {
    await expect(run()).rejects.toBeInstanceOf(Error);
  });

  test('a queue that is full refuses with decode_busy', async () => {
    const pool = createPool({ size: 1, maxQueued: 1 });
    const admitted = [1, 2].map(() => pool.run(tasks.sleepTask, { ms: 5, answer: 'ok' }, { timeoutMs }));
    await expect(pool.run(tasks.echoTask, '', { timeoutMs })).rejects.toMatchObject({ code: 'decode_busy' });
    expect(await Promise.all(admitted)).toEqual(['ok', 'ok']);
  });
});

test('a task that has waited more than it has worked is given more time', async () => {
  const pool = createPool({ size: 1 });
  expect(await pool.run(tasks.sleepTask, { ms: 2_000, answer: 'late' }, { timeoutMs: 1_500 })).toBe('late');
});

describe('a thread that dies', () => {
  test.each([
    ['exits', (pool: WorkerPool) => pool.run(tasks.exitTask, { afterMs: 0 }, { timeoutMs })],
    ['throws outside of any promise', (pool: WorkerPool) => pool.run(tasks.uncaughtTask, undefined, { timeoutMs })],
    ['runs out of heap', (pool: WorkerPool) => pool.run(tasks.outOfMemoryTask, undefined, { timeoutMs })],
  ])(
    'because its task %s fails that task, and the next one runs',
    async (_, kill) => {
      const pool = createPool({ size: 1 });
      const failure = kill(pool);
      const next = pool.run(tasks.echoTask, 'alive', { timeoutMs });
      await expect(failure).rejects.toBeInstanceOf(WorkerDied);
      expect(await next).toBe('alive');
      expect(pool.statistics()).toMatchObject({ died: 1, started: 2 });
    },
    60_000,
  );

  test('because its task took too long fails that task as TaskTimeout', async () => {
    const pool = createPool({ size: 1 });
    const failure = pool.run(tasks.spinTask, undefined, { timeoutMs: 50 });
    const next = pool.run(tasks.echoTask, 'alive', { timeoutMs });
    await expect(failure).rejects.toBeInstanceOf(TaskTimeout);
    expect(await next).toBe('alive');
    await until(() => pool.statistics().ending === 0);
  });

  test('because its task waits forever fails that task as well', async () => {
    const pool = createPool({ size: 1 });
    const failure = pool.run(tasks.sleepTask, { ms: 600_000, answer: 'never' }, { timeoutMs: 50 });
    await expect(failure).rejects.toBeInstanceOf(TaskTimeout);
  });

  test('twice under one key puts that key into quarantine, and only that', async () => {
    const pool = createPool({ size: 1 });
    const kill = () => pool.run(tasks.exitTask, { afterMs: 0 }, { timeoutMs, key: 'bad frame' });
    await expect(kill()).rejects.toBeInstanceOf(WorkerDied);
    await expect(kill()).rejects.toBeInstanceOf(WorkerDied);
    await expect(kill()).rejects.toBeInstanceOf(TaskQuarantined);
    expect(await pool.run(tasks.echoTask, 'good frame', { timeoutMs, key: 'good frame' })).toBe('good frame');
    expect(pool.statistics()).toMatchObject({ quarantined: 1, died: 2 });
  });

  test('whose WebAssembly memory has grown is replaced', async () => {
    const pool = createPool({ size: 1, maxWasmBytes: 32 * 2 ** 20 });
    await pool.run(tasks.growWasmTask, { bytes: 2 ** 20 }, { timeoutMs });
    expect(pool.statistics().recycled).toBe(0);
    await pool.run(tasks.growWasmTask, { bytes: 40 * 2 ** 20 }, { timeoutMs });
    expect(pool.statistics().recycled).toBe(1);
    expect(await pool.run(tasks.growWasmTask, { bytes: 1 }, { timeoutMs })).toBe(1);
  });

  test.each([false, true])('whose heap has grown is replaced, whether its task failed: %s', async (fails) => {
    const pool = createPool({ size: 1, memory: { heapBytes: 64 * 2 ** 20 } });
    const grow = (objects: number, willFail: boolean) =>
      pool.run(tasks.growHeapTask, { objects, fails: willFail, keeps: true }, { timeoutMs });
    await grow(1_000, false);
    expect(pool.statistics().recycled).toBe(0);
    // An object with a number, and an array with its elements: more than 64 bytes each.
    await grow(1_000_000, fails).catch(() => undefined);
    expect(pool.statistics().recycled).toBe(1);
    expect(await grow(1, false)).toBe(1);
  });

  test('whose heap holds only garbage collects it and stays', async () => {
    const pool = createPool({ size: 1, memory: { heapBytes: 64 * 2 ** 20 } });
    await pool.run(tasks.growHeapTask, { objects: 1_000_000, fails: false, keeps: false }, { timeoutMs });
    expect(pool.statistics()).toMatchObject({ recycled: 0, threads: 1 });
  });

  test('at its start, again and again, fails everything that waits', async () => {
    const pool = createPool({ file: new URL('file:///nowhere/worker.js') });
    const all = Array.from({ length: 40 }, () => pool.run(tasks.echoTask, '', { timeoutMs }));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof WorkerDied)).toBe(
      true,
    );
    await expect(pool.run(tasks.echoTask, '', { timeoutMs })).rejects.toBeInstanceOf(WorkerDied);
    expect(pool.statistics().started).toBeLessThanOrEqual(6);
  });

  test('at random moments leaves no promise unsettled and the pool working', async () => {
    const kinds = fc.constantFrom('echo', 'sleep', 'exit', 'spin', 'abort', 'refuse', 'bug', 'shared');
    const plan = fc.array(fc.record({ kind: kinds, ms: fc.nat({ max: 8 }), prefetch: fc.boolean() }), {
      maxLength: 25,
    });
    await fc.assert(
      fc.asyncProperty(plan, async (steps) => {
        const pool = createWorkerPool({ file, size: 2 });
        const signal = AbortSignal.timeout(5);
        const promises = steps.map(({ kind, ms, prefetch }) => {
          const options = { timeoutMs, priority: prefetch ? 'prefetch' : 'interactive' } as const;
          if (kind === 'exit') return pool.run(tasks.exitTask, { afterMs: ms }, options);
          if (kind === 'spin') return pool.run(tasks.spinTask, undefined, { ...options, timeoutMs: ms });
          if (kind === 'refuse') return pool.run(tasks.refuseTask, { code: 'pixel_decode_failed' }, options);
          if (kind === 'bug') return pool.run(tasks.bugTask, undefined, options);
          const sleep = { ms, answer: kind };
          if (kind === 'abort') return pool.run(tasks.sleepTask, sleep, { ...options, signal });
          return pool.run(tasks.sleepTask, sleep, kind === 'shared' ? { ...options, shareKey: 'same' } : options);
        });
        const outcomes = await Promise.allSettled(promises);
        await pool.close();

        expect(outcomes).toHaveLength(steps.length);
        // No thread works on a task without a caller, and the queues are empty.
        expect(pool.statistics()).toMatchObject({ busy: 0, queuedInteractive: 0, queuedPrefetch: 0, threads: 0 });
        await until(() => pool.statistics().ending === 0);
      }),
      { numRuns: 12 },
    );
  }, 180_000);
});

describe('answers', () => {
  test.each(['whole', 'part', 'pooled'] as const)('of %s buffers are moved, not copied', async (from) => {
    const pool = createPool({ size: 1 });
    const bytes = await pool.run(tasks.bytesTask, { from }, { timeoutMs });
    expect([...bytes]).toEqual([1, 2, 3]);
    expect(bytes.buffer.byteLength).toBe(3);
    // A transferred buffer is empty on the side that gave it away.
    expect(await pool.run(tasks.heldAfterTransferTask, undefined, { timeoutMs })).toBe(0);
  });
});

describe('close', () => {
  test('settles running and waiting tasks, and ends threads in endless loops', async () => {
    const pool = createPool({ size: 2 });
    const all = [
      pool.run(tasks.spinTask, undefined, { timeoutMs }),
      pool.run(tasks.sleepTask, { ms: 5_000, answer: '' }, { timeoutMs }),
      pool.run(tasks.echoTask, 'waits', { timeoutMs }),
    ];
    const outcomes = Promise.allSettled(all);
    await wait(60);
    await pool.close();

    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'shutting_down' } });
    }
    expect(pool.statistics()).toMatchObject({ threads: 0, busy: 0 });
    await until(() => pool.statistics().ending === 0);
  });

  test('refuses later tasks', async () => {
    const pool = createPool();
    await pool.close();
    await expect(pool.run(tasks.echoTask, '', { timeoutMs })).rejects.toMatchObject({ code: 'shutting_down' });
  });
});

describe('every task settles, and its memory is free,', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A pool whose threads behave as they are told, the last script for all further ones. Time passes when it is told to. */
  function createScripted(scripts: readonly (ThreadScript | 'refused')[], size = 2) {
    let started = 0;
    const pool = createWorkerPool({
      size,
      file: new URL('file:///scripted'),
      startWorker() {
        const script = scripts[Math.min(started, scripts.length - 1)] ?? GOOD;
        started += 1;
        if (script === 'refused') throw new Error('the system allows no further thread');
        return new ScriptedWorker(script);
      },
    });
    const begin = (options: Partial<PoolTaskOptions> = {}) => {
      const seen = { outcome: 'pending', isFree: false };
      const settle = async () => {
        // What never reaches the queue takes nothing.
        seen.isFree = true;
        try {
          const { answer, freed } = pool.begin(tasks.echoTask, 'x', { timeoutMs: 1_000, ...options });
          seen.isFree = false;
          void freed.then(() => (seen.isFree = true));
          seen.outcome = await answer;
        } catch (error) {
          seen.outcome = error instanceof Error ? error.name : 'thrown';
        }
      };
      void settle();
      return seen;
    };
    return { pool, begin };
  }

  const GOOD: ThreadScript = { onlineAfter: 5, answersAfter: 5, givesBackAfter: 5, exitsAfter: 5 };
  /** More than the time for starting, for the task on a busy machine, and for a thread that does not exit. */
  const LONG_MS = 120_000;

  test.each<[string, ThreadScript, string]>([
    ['never starts', { ...GOOD, onlineAfter: undefined }, 'WorkerDied'],
    ['never starts and never exits', {}, 'WorkerDied'],
    ['never answers', { ...GOOD, answersAfter: undefined }, 'TaskTimeout'],
    ['never answers and never exits', { onlineAfter: 5 }, 'TaskTimeout'],
    ['exits before it has started', { ...GOOD, onlineAfter: undefined, diesAfter: 5 }, 'WorkerDied'],
    ['fails', { ...GOOD, answersAfter: undefined, diesAfter: 20, diesWithError: true }, 'WorkerDied'],
  ])('of a thread that %s', async (_, script, outcome) => {
    const { pool, begin } = createScripted([script, GOOD], 1);
    const task = begin();
    const next = begin();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(task).toEqual({ outcome, isFree: true });
    expect(next).toEqual({ outcome: 'ok', isFree: true });
    expect(pool.statistics()).toMatchObject({ busy: 0, queuedInteractive: 0 });
  });

  test.each<[string, ThreadScript]>([
    ['is never given back', { ...GOOD, givesBackAfter: undefined }],
    ['is never given back and never exits', { onlineAfter: 5 }],
    ['is given back too late', { ...GOOD, givesBackAfter: 201, exitsAfter: 50 }],
    ['dies while it is given back', { ...GOOD, givesBackAfter: undefined, diesAfter: 50 }],
    ['never starts', { ...GOOD, onlineAfter: undefined }],
  ])('though it waits for a lent thread that %s', async (_, script) => {
    const { pool, begin } = createScripted([script, GOOD], 1);
    const lent = pool.lend()!;
    void lent.terminate();
    const task = begin();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(task).toEqual({ outcome: 'ok', isFree: true });
  });

  test('though all threads are lent and stay so', async () => {
    const { pool, begin } = createScripted([GOOD], 1);
    pool.lend();
    const task = begin();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(task).toEqual({ outcome: 'ok', isFree: true });
  });

  test('though all threads hang in system calls and do not exit', async () => {
    const { pool, begin } = createScripted([{ onlineAfter: 5 }], 1);
    const all = Array.from({ length: 5 }, () => begin());
    await vi.advanceTimersByTimeAsync(5 * LONG_MS);
    // There may be two more threads than one as long as some have not exited.
    expect(all.map(({ outcome }) => outcome)).toEqual([
      'TaskTimeout',
      'TaskTimeout',
      'TaskTimeout',
      'WorkerDied',
      'WorkerDied',
    ]);
    expect(all.every(({ isFree }) => isFree)).toBe(true);
    expect(pool.statistics()).toMatchObject({ started: 3, ending: 3, queuedInteractive: 0 });
  });

  test('though the system allows no further thread', async () => {
    const { begin } = createScripted(['refused', 'refused', GOOD]);
    const task = begin();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(task).toEqual({ outcome: 'ok', isFree: true });

    const hopeless = createScripted(['refused']);
    const never = hopeless.begin();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(never).toEqual({ outcome: 'WorkerDied', isFree: true });
  });

  test('whatever happens to threads, borrowers and callers', async () => {
    const ms = fc.constantFrom(0, 1, 150, 199, 200, 201, 450, 600, 5_000, 29_999);
    const times = fc.option(ms, { nil: undefined, freq: 3 });
    const script = fc.oneof(
      { weight: 1, arbitrary: fc.constant('refused' as const) },
      { weight: 3, arbitrary: fc.constant(GOOD) },
      {
        weight: 8,
        arbitrary: fc.record({
          onlineAfter: times,
          answersAfter: times,
          givesBackAfter: times,
          exitsAfter: times,
          diesAfter: fc.option(ms, { nil: undefined, freq: 1 }),
          diesWithError: fc.boolean(),
        }),
      },
    );
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('run' as const),
        priority: fc.constantFrom('interactive' as const, 'prefetch' as const),
        isAwaited: fc.boolean(),
        shareKey: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
        key: fc.option(fc.constantFrom('k', 'l'), { nil: undefined }),
        timeoutMs: fc.constantFrom(1, 300, 10_000),
      }),
      fc.record({ kind: fc.constant('abort' as const), at: fc.nat({ max: 20 }) }),
      fc.record({ kind: fc.constant('wait' as const), ms }),
      fc.record({ kind: fc.constantFrom('lend' as const, 'return' as const, 'prepare' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(script, { maxLength: 8 }),
        fc.array(step, { maxLength: 25 }),
        fc.integer({ min: 1, max: 3 }),
        async (scripts, steps, size) => {
          const { pool, begin } = createScripted([...scripts, GOOD], size);
          const aborters: AbortController[] = [];
          const begun: { readonly outcome: string; readonly isFree: boolean }[] = [];
          const lent: Thread[] = [];
          for (const one of steps) {
            if (one.kind === 'run') {
              const aborter = new AbortController();
              aborters.push(aborter);
              const { kind: _, shareKey, key, ...options } = one;
              const keys = { ...(shareKey !== undefined && { shareKey }), ...(key !== undefined && { key }) };
              begun.push(begin({ ...options, ...keys, signal: aborter.signal }));
            } else if (one.kind === 'abort') aborters[one.at]?.abort(new Error('left'));
            else if (one.kind === 'wait') await vi.advanceTimersByTimeAsync(one.ms);
            else if (one.kind === 'prepare') pool.prepare();
            else if (one.kind === 'return') void lent.shift()?.terminate();
            else {
              const thread = pool.lend();
              if (thread !== undefined) lent.push(thread);
            }
          }
          // At most 25 tasks one after another, each with a thread that takes a minute to start, to hang and to be lost.
          await vi.advanceTimersByTimeAsync(25 * LONG_MS);
          expect(begun.filter(({ outcome, isFree }) => outcome === 'pending' || !isFree)).toEqual([]);
          expect(pool.statistics()).toMatchObject({ busy: 0, queuedInteractive: 0, queuedPrefetch: 0 });
        },
      ),
      { numRuns: 300 },
    );
  });
});
