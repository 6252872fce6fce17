import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { continueInSlices, runInSlices, runSlice, runToEnd, sortInSlices, visitInSlices } from './runInSlices.ts';

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

test('a turn looks at the clock after every 128 items, and ends when its time is over', () => {
  const items = Array.from({ length: 10_000 }, (_, at) => at);
  const seen: number[] = [];
  const work = visitInSlices(items, (item) => seen.push(item));
  let nowMs = 0;
  // Every look takes one of the 5 ms of a turn: the first one at its beginning, then one after every 128 items.
  const tick = () => nowMs++;
  const perTurn = [];
  for (let before = 0; ; before = seen.length) {
    const { done } = runSlice(work, tick);
    if (done === true) break;
    perTurn.push(seen.length - before);
  }
  expect(Math.max(...perTurn)).toBe(5 * 128);
  expect(seen).toEqual(items);
});

test('work that was begun in this turn continues in the next one, and does nothing after it is cancelled', async () => {
  let steps = 0;
  const count = function* (): Generator<undefined, string, undefined> {
    for (; steps < 3; steps += 1) yield;
    return 'done';
  };
  let isWanted = true;
  const cancelled = continueInSlices(count(), () => isWanted);
  expect(steps).toBe(0);
  isWanted = false;
  expect(await cancelled).toBeUndefined();
  expect(steps).toBe(0);
  expect(await continueInSlices(count(), () => true)).toBe('done');
});
