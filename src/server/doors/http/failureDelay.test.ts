import { expect, test } from 'vitest';
import { createFailureDelay } from './failureDelay.ts';

function failTimes(delay: ReturnType<typeof createFailureDelay>, times: number, peer = 'a'): number {
  let waitMs = 0;
  for (let i = 0; i < times; i++) waitMs = delay.count(peer);
  return waitMs;
}

test('twenty wrong tokens are answered at once, the next ones after 100 to 200 ms', () => {
  const delay = createFailureDelay(
    () => 0,
    () => 0.5,
  );
  expect(failTimes(delay, 20)).toBe(0);
  expect(failTimes(delay, 1)).toBe(150);
});

test('after ten seconds the count begins again', () => {
  let nowMs = 0;
  const delay = createFailureDelay(() => nowMs);
  failTimes(delay, 30);
  nowMs = 10_000;
  expect(failTimes(delay, 1)).toBe(0);
});

test('peers are counted apart', () => {
  const delay = createFailureDelay(() => 0);
  failTimes(delay, 30, 'a');
  expect(failTimes(delay, 20, 'b')).toBe(0);
});

test('a flood of peers does not push out one that keeps trying', () => {
  const delay = createFailureDelay(() => 0);
  failTimes(delay, 30, 'a');
  for (let i = 0; i < 5_000; i++) {
    delay.count(`peer ${i}`);
    if (i % 500 === 0) delay.count('a');
  }
  expect(delay.count('a')).toBeGreaterThanOrEqual(100);
});
