import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runInSlices, runToEnd, sortInSlices } from './runInSlices.ts';

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

test('sorting in slices gives the same order as sorting at once, also of equal items', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { maxLength: 1_000, size: 'max' }), (keys) => {
      const items = keys.map((key, at) => ({ key, at }));
      expect(runToEnd(sortInSlices(items, byKey))).toEqual(items.toSorted(byKey));
    }),
    { numRuns: 30 },
  );
});

function byKey(a: { key: number }, b: { key: number }): number {
  return a.key - b.key;
}

function* workFor(durationMs: number): Generator<undefined, string, undefined> {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) yield;
  return 'done';
}
