import { expect, test } from 'vitest';
import { doInTurns, type WorkInTurns } from './doInTurns.ts';

test('work in turns ends when its client has gone, and cleans up', async () => {
  const client = new AbortController();
  let steps = 0;
  let isCleanedUp = false;
  function* work(): WorkInTurns<void> {
    try {
      // It never ends by itself.
      for (; ; yield) steps += 1;
    } finally {
      isCleanedUp = true;
    }
  }
  const done = doInTurns(work(), client.signal);
  expect(steps).toBeGreaterThan(0);
  client.abort(new Error('the client has gone'));
  await expect(done).rejects.toThrow('the client has gone');
  expect(isCleanedUp).toBe(true);
  const [before] = [steps];
  await new Promise((next) => setImmediate(next));
  expect(steps).toBe(before);
});

test('work in turns does not begin for a client that has gone', async () => {
  const begun: string[] = [];
  function* work(): WorkInTurns<void> {
    begun.push('work');
    yield;
  }
  await expect(doInTurns(work(), AbortSignal.abort(new Error('the client has gone')))).rejects.toThrow('has gone');
  expect(begun).toEqual([]);
});
