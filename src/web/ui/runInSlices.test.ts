import { expect, test } from 'vitest';
import { runInSlices } from './runInSlices.ts';

test('long work yields to other tasks, and is aborted when it is not wanted', async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const answer = await runInSlices(workFor(60), () => true);
  clearInterval(timer);

  expect(answer).toBe('done');
  expect(turns).toBeGreaterThan(0);
  expect(await runInSlices(workFor(60), () => false)).toBeUndefined();
});

test('short work is done at once', async () => {
  expect(await runInSlices(workFor(0), () => false)).toBe('done');
});

function* workFor(durationMs: number): Generator<undefined, string, undefined> {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) yield;
  return 'done';
}
