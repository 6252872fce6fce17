import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fakeClock.ts';
import { setArrival } from './arrival.ts';
import { createTimeLimit } from './timeLimit.ts';

test('work that ends in time gives its result', async () => {
  const clock = createFakeClock();
  const limit = createTimeLimit(100, clock);
  clock.move(99);
  expect(await limit.wait(async () => 'done')).toBe('done');
});

test('work that takes longer gives nothing, and is not begun after that time', async () => {
  const clock = createFakeClock();
  const limit = createTimeLimit(100, clock);
  let begun = 0;
  const work = () => {
    begun += 1;
    return new Promise<string>(() => {});
  };
  const waiting = limit.wait(work);
  clock.move(100);
  expect(await waiting).toBeUndefined();
  expect(await limit.wait(work)).toBeUndefined();
  expect(begun).toBe(1);
});

test('work that fails in time fails', async () => {
  const limit = createTimeLimit(100, createFakeClock());
  await expect(limit.wait(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

test('of a request that has waited for long already, a step ends after two seconds', async () => {
  const clock = createFakeClock();
  const { signal } = new AbortController();
  setArrival(signal, { atMs: performance.now() - 60_000 });
  const limit = createTimeLimit(6_000, clock, signal);
  const waiting = limit.wait(() => new Promise<string>(() => {}));
  clock.move(2_000);
  expect(await waiting).toBeUndefined();
});
