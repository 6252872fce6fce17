import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createByteCache } from '../../../shared/byteCache.ts';
import { createKeptWork } from './keptWork.ts';

const INTERACTIVE = { signal: undefined, priority: 'interactive' } as const;

test('a value is made once for all concurrent requests, and kept for later ones', async () => {
  const { kept, makes, finish } = createWork();

  const together = [1, 2, 3].map(() => kept.get('a', INTERACTIVE, makes));
  finish('value');

  expect(await Promise.all(together)).toEqual([1, 2, 3].map(() => ({ value: 'value', cached: false })));
  expect(await kept.get('a', INTERACTIVE, makes)).toEqual({ value: 'value', cached: true });
  expect(makes.count).toBe(1);
});

test('work continues while one of its requests still waits', async () => {
  const { kept, makes, finish } = createWork();
  const leaving = new AbortController();
  const left = kept.get('a', { ...INTERACTIVE, signal: leaving.signal }, makes);
  const stays = kept.get('a', { ...INTERACTIVE, signal: new AbortController().signal }, makes);

  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect(makes.signals.map(({ aborted }) => aborted)).toEqual([false]);
  finish('value');

  expect((await stays).value).toBe('value');
});

test('work is aborted with its last request, and a later request starts it again', async () => {
  const { kept, makes, finish } = createWork();
  const leaving = new AbortController();
  const left = kept.get('a', { ...INTERACTIVE, signal: leaving.signal }, makes);

  leaving.abort(new Error('left'));
  const next = kept.get('a', INTERACTIVE, makes);
  finish('value');

  await expect(left).rejects.toThrow('left');
  expect((await next).value).toBe('value');
  expect(makes.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test('an interactive request does not wait for the same work of a prefetch', async () => {
  const { kept, makes, finish } = createWork();
  const all = [kept.get('a', { ...INTERACTIVE, priority: 'prefetch' }, makes), kept.get('a', INTERACTIVE, makes)];
  expect(makes.count).toBe(2);
  finish('value');
  await Promise.all(all);
});

test('a failure reaches all waiting requests and is not kept', async () => {
  const { kept, makes, fail, finish } = createWork();
  const together = [1, 2].map(() => kept.get('a', INTERACTIVE, makes));
  fail(new Error('broken'));
  for (const each of together) await expect(each).rejects.toThrow('broken');

  const again = kept.get('a', INTERACTIVE, makes);
  finish('whole');
  expect(await again).toEqual({ value: 'whole', cached: false });
});

test('a failure for which no request waits has no effect', async () => {
  const { kept, makes, fail } = createWork();
  const leaving = new AbortController();
  const left = kept.get('a', { ...INTERACTIVE, signal: leaving.signal }, makes);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  fail(new Error('broken'));
  await nextTurn();
  expect(kept.find('a')).toBeUndefined();
});

test('the size of a small value includes its overhead', async () => {
  const kept = createKeptWork<string>({ cache: createByteCache(100_000), bytesOf: (value) => value.length });
  const keys = Array.from({ length: 1_000 }, (_, i) => String(i));
  for (const key of keys) await kept.get(key, INTERACTIVE, async () => 'x');
  // A cache entry counts 256 bytes, a value 1,024 plus its own byte: 78 of them fill 100,000.
  expect(keys.filter((key) => kept.find(key) !== undefined)).toEqual(keys.slice(-78));
});

function createWork() {
  const kept = createKeptWork<string>({ cache: createByteCache(10_000), bytesOf: (value) => value.length });
  const waiting: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const make = (signal: AbortSignal) => {
    makes.count += 1;
    makes.signals.push(signal);
    return new Promise<string>((resolve, reject) => waiting.push({ resolve, reject }));
  };
  const makes = Object.assign(make, { count: 0, signals: [] as AbortSignal[] });
  return {
    kept,
    makes,
    finish: (value: string) => {
      for (const { resolve } of waiting) resolve(value);
    },
    fail: (error: Error) => {
      for (const { reject } of waiting.splice(0)) reject(error);
    },
  };
}
