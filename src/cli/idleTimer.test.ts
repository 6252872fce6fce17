import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createIdleTimer } from './idleTimer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createObserved(timeoutMs: number) {
  const timer = createIdleTimer(timeoutMs);
  const observed = { isIdle: false };
  void timer.whenIdle.then(() => (observed.isIdle = true));
  const isIdleAfter = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return observed.isIdle;
  };
  return { timer, isIdleAfter };
}

test('the time runs from the start, not from the creation', async () => {
  const { timer, isIdleAfter } = createObserved(1000);
  expect(await isIdleAfter(5000)).toBe(false);
  timer.start();
  expect(await isIdleAfter(999)).toBe(false);
  expect(await isIdleAfter(1)).toBe(true);
});

test('a request in flight counts as use however long it takes, and the time begins again at its end', async () => {
  const { timer, isIdleAfter } = createObserved(1000);
  timer.start();
  timer.requestBegan();
  timer.requestBegan();
  expect(await isIdleAfter(60_000)).toBe(false);
  timer.requestEnded();
  expect(await isIdleAfter(60_000)).toBe(false);
  timer.requestEnded();
  expect(await isIdleAfter(999)).toBe(false);
  expect(await isIdleAfter(1)).toBe(true);
});

test('a request that began before the start and still runs holds the time back', async () => {
  const { timer, isIdleAfter } = createObserved(1000);
  timer.requestBegan();
  timer.start();
  expect(await isIdleAfter(5000)).toBe(false);
  timer.requestEnded();
  expect(await isIdleAfter(1000)).toBe(true);
});

test('a stopped timer never fires', async () => {
  const { timer, isIdleAfter } = createObserved(1000);
  timer.start();
  timer.stop();
  expect(await isIdleAfter(5000)).toBe(false);
});
