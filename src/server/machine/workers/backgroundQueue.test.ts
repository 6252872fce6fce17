import { expect, test } from 'vitest';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { createBackgroundQueue } from './backgroundQueue.ts';

const LONG_MS = 60_000;

test('all that is wanted is done once, never more than four at a time', async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  const queue = createBackgroundQueue<number>({
    async run(item) {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resume) => setImmediate(resume));
      running -= 1;
      done.push(item);
    },
    onFailure: () => {},
  });
  queue.want(Array.from({ length: 50 }, (_, i) => i));
  expect(queue.isSettled()).toBe(false);

  await Promise.all([queue.settle(LONG_MS), queue.settle(LONG_MS)]);

  expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i));
  expect(most).toBe(4);
  expect(queue.isSettled()).toBe(true);
});

test('an item that finds no room is tried again, and a failure is reported', async () => {
  const tries: string[] = [];
  const failed: string[] = [];
  const queue = createBackgroundQueue<string>({
    async run(item) {
      tries.push(item);
      if (item === 'broken') throw new Error('broken');
      if (tries.filter((each) => each === 'late').length === 1) throw new ViewerError('decode_busy', 'no room');
    },
    onFailure: (item) => failed.push(item),
  });
  queue.want(['late', 'broken']);

  await queue.settle(LONG_MS);

  expect(tries).toEqual(['late', 'broken', 'late']);
  expect(failed).toEqual(['broken']);
});

test('a closed queue begins nothing more', async () => {
  const begun: number[] = [];
  const queue = createBackgroundQueue<number>({
    async run(item, signal) {
      begun.push(item);
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    onFailure: () => {
      throw new Error('being closed is no failure');
    },
  });
  queue.want([1, 2, 3, 4, 5, 6]);
  const settled = queue.settle(LONG_MS);

  queue.close();
  await settled;

  expect(begun).toEqual([1, 2, 3, 4]);
});
