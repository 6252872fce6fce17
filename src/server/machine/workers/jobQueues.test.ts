import { expect, test } from 'vitest';
import { createJob, type Job } from './job.ts';
import { createJobQueues, type JobQueues } from './jobQueues.ts';
import { defineTask } from './task.ts';

const task = defineTask<string, void>('test', { timeoutMs: 1_000, bytes: 0 });
const NEVER = 2 ** 31;

function fill(queues: JobQueues, ...wanted: readonly ('interactive' | 'awaited' | 'prefetch')[]): readonly Job[] {
  return wanted.map((urgency, n) => {
    const priority = urgency === 'interactive' ? 'interactive' : 'prefetch';
    const job = createJob(task, `${urgency} ${n}`, { signal: undefined, priority, isAwaited: urgency === 'awaited' });
    queues.add(job);
    return job;
  });
}

/** The inputs of all jobs in the order in which they start, one after another. */
function startAll(queues: JobQueues): unknown[] {
  const started: unknown[] = [];
  for (let job = queues.next([]); job !== undefined; job = queues.next([])) {
    queues.start(job);
    started.push(job.input);
  }
  return started;
}

test('interactive jobs start before prefetch for which somebody waits, and that before other prefetch', () => {
  const queues = createJobQueues(1, NEVER);
  fill(queues, 'prefetch', 'awaited', 'interactive');
  expect(queues.counts()).toEqual({ interactive: 1, prefetch: 2 });
  expect(startAll(queues)).toEqual(['interactive 2', 'awaited 1', 'prefetch 0']);
});

test('overdue jobs take turns with more urgent ones', () => {
  const queues = createJobQueues(1, -1);
  fill(queues, 'prefetch', 'prefetch', 'interactive', 'interactive');
  expect(startAll(queues)).toEqual(['prefetch 0', 'interactive 2', 'prefetch 1', 'interactive 3']);
});

test('no more than so many prefetching jobs run at once', () => {
  const queues = createJobQueues(1, NEVER);
  const [running] = fill(queues, 'prefetch', 'prefetch');
  queues.start(running!);
  expect(queues.next([running!])).toBeUndefined();
  expect(queues.next([])?.input).toBe('prefetch 1');
});

test('prefetch that is promoted is interactive', () => {
  const queues = createJobQueues(1, NEVER);
  const [, second] = fill(queues, 'prefetch', 'prefetch');
  queues.promote(second!);
  expect(startAll(queues)).toEqual(['prefetch 1', 'prefetch 0']);
});
