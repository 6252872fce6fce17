import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLoader, type LoaderOptions } from './createLoader.ts';
import type { Pace } from './pace.ts';

type Value = { readonly name: number; readonly bytes: number };

type Asked = {
  readonly wish: number;
  readonly isPrefetch: boolean;
  readonly signal: AbortSignal;
  isAnswered: boolean;
  /** Answers with a value of this size. */
  answer(bytes?: number): Value;
  fail(error: Error): void;
};

const PACE: Pace<number> = {
  admits: (_, { flights }) => flights.length < 4,
  admitsPrefetch: ({ flights }) => flights.length < 2,
  keepsUnwanted: () => false,
};

/** A loader whose requests the test answers. It records which values were created and disposed of. */
function createHeldLoader(options: Partial<LoaderOptions<number, Value>> = {}) {
  const asked: Asked[] = [];
  const made: Value[] = [];
  const disposed: Value[] = [];
  const loader = createLoader<number, Value>({
    keyOf: String,
    bytesOf: ({ bytes }) => bytes,
    dispose: (value) => void disposed.push(value),
    budgetBytes: 10_000,
    pace: PACE,
    load: (wish, { signal, isPrefetch }) =>
      new Promise((resolve, reject) => {
        const one: Asked = {
          wish,
          isPrefetch,
          signal,
          isAnswered: false,
          answer(bytes = 100) {
            const value = { name: wish, bytes };
            made.push(value);
            one.isAnswered = true;
            resolve(value);
            return value;
          },
          fail(error) {
            one.isAnswered = true;
            reject(error);
          },
        };
        asked.push(one);
      }),
    ...options,
  });
  return { loader, asked, made, disposed, open: () => asked.filter(({ isAnswered }) => !isAnswered) };
}

/** Waits until the effects of an answer have happened. */
function settle(): Promise<void> {
  return new Promise((resume) => setTimeout(resume));
}

describe('one load', () => {
  test('is a wish until it has an outcome, and shares the request with others', async () => {
    const { loader, asked } = createHeldLoader();
    const both = [loader.load(1), loader.load(1)];
    expect(asked.map(({ wish, isPrefetch }) => [wish, isPrefetch])).toEqual([[1, false]]);
    const value = asked[0]!.answer();
    const ready = { status: 'ready', value };
    expect(await Promise.all(both)).toEqual([ready, ready]);
    expect(await loader.load(1)).toEqual(ready);
    expect(asked.length).toBe(1);
  });

  test('that fails returns the reason and does not reject', async () => {
    const { loader, asked } = createHeldLoader();
    const loading = loader.load(1);
    asked[0]!.fail(new Error('torn'));
    expect(await loading).toMatchObject({ status: 'failed', error: { message: 'torn' } });
  });

  test('ends with nothing when the loader is cleared, and its request is aborted', async () => {
    const { loader, asked } = createHeldLoader();
    const loading = loader.load(1);
    loader.clear();
    expect(await loading).toBeUndefined();
    expect(asked[0]!.signal.aborted).toBe(true);
  });

  test('waits where the pace admits no more, and comes in its turn', async () => {
    const { loader, asked } = createHeldLoader();
    const all = [1, 2, 3, 4, 5].map((wish) => loader.load(wish));
    expect(asked.length).toBe(4);
    asked[0]!.answer();
    await all[0];
    await settle();
    expect(asked.map(({ wish }) => wish)).toEqual([1, 2, 3, 4, 5]);
  });
});

test('an outcome is the same object until it changes, so that components can compare it', async () => {
  const { loader, asked } = createHeldLoader();
  loader.want('a', { now: [1, 2], soon: [] });
  asked[0]!.answer();
  asked[1]!.fail(new Error('torn'));
  await settle();
  expect(loader.find(1)).toBe(loader.find(1));
  expect(loader.find(2)).toBe(loader.find(2));
});

test('a value in use is disposed of when its user releases it, not when it is dropped', async () => {
  const { loader, asked, disposed } = createHeldLoader();
  loader.want('a', { now: [1], soon: [] });
  const value = asked[0]!.answer();
  await settle();
  loader.hold('a', [value]);
  loader.hold('b', [value]);
  loader.clear();
  expect(loader.find(1)).toBeUndefined();
  loader.hold('a', []);
  expect(disposed).toEqual([]);
  loader.hold('b', []);
  expect(disposed).toEqual([value]);
});

test('values that are wanted now stay beyond the budget, and no request is repeated for them', async () => {
  const { loader, asked, open } = createHeldLoader({ budgetBytes: 1_000 });
  loader.want('a', { now: [1, 2, 3], soon: [] });
  for (const one of open()) {
    one.answer(600);
    await settle();
  }
  expect([1, 2, 3].map((wish) => loader.find(wish)?.status)).toEqual(['ready', 'ready', 'ready']);
  expect(asked.length).toBe(3);
});

test('values beyond the budget go when they are no longer wanted, and are disposed of', async () => {
  const { loader, disposed, open } = createHeldLoader({ budgetBytes: 1_000 });
  loader.want('a', { now: [1, 2, 3], soon: [] });
  for (const one of open()) {
    one.answer(600);
    await settle();
  }
  // Each takes 856 bytes including the cache's overhead per entry, so one fits.
  loader.want('a', { now: [], soon: [] });
  expect([disposed.length, loader.heldBytes()]).toEqual([2, 856]);
});

test('a prefetch that is too large to be kept is not repeated until it is wanted', async () => {
  const { loader, asked, disposed } = createHeldLoader({ budgetBytes: 1_000 });
  loader.want('a', { now: [], soon: [1] });
  const value = asked[0]!.answer(5_000);
  await settle();
  expect([asked.length, disposed]).toEqual([1, [value]]);
  loader.want('a', { now: [1], soon: [] });
  expect(asked.length).toBe(2);
});

const WISH = fc.nat({ max: 9 });
const OWNER = fc.constantFrom('a', 'b', 'c');
const STEP = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('want' as const),
      owner: OWNER,
      now: fc.array(WISH, { maxLength: 3 }),
      soon: fc.array(WISH, { maxLength: 4 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      which: fc.nat(),
      bytes: fc.integer({ min: 300, max: 1_500 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fail' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('hold' as const), owner: OWNER, wish: WISH }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('load' as const), wish: WISH }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retry' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
);
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

const OPTIONS = fc.record({
  keepsWanted: fc.boolean(),
  failuresLast: fc.constantFrom('until_retry' as const, 'until_wanted_again' as const),
  keepsUnwanted: fc.boolean(),
});

/** Plays any sequence of wants, holds, releases and answers, and checks the invariants after each step. */
async function play(
  steps: readonly Step[],
  { keepsWanted, failuresLast, keepsUnwanted }: typeof OPTIONS extends fc.Arbitrary<infer T> ? T : never,
) {
  const budgetBytes = 2_000;
  const pace = { ...PACE, keepsUnwanted: () => keepsUnwanted };
  const played = createHeldLoader({ budgetBytes, keepsWanted, failuresLast, pace });
  const { loader, made, disposed, open } = played;
  const wanted = new Map<string, readonly number[]>();
  const held = new Map<string, Value>();
  let loads = 0;
  let settled = 0;

  const check = () => {
    const gone = new Set(disposed);
    expect(gone.size, 'nothing is disposed of twice').toBe(disposed.length);
    const found = new Set(
      Array.from({ length: 10 }, (_, wish) => loader.find(wish)).flatMap((outcome) =>
        outcome?.status === 'ready' ? [outcome.value] : [],
      ),
    );
    const inUse = new Set(held.values());
    for (const value of made) {
      expect(gone.has(value), `value ${value.name} is open as long as it is found or in use, and no longer`).toBe(
        !found.has(value) && !inUse.has(value),
      );
    }
    const onScreen = new Set([...wanted.values()].flat());
    const beyond = [...found].filter(({ name }) => onScreen.has(name)).reduce((sum, { bytes }) => sum + bytes, 0);
    const inUseBytes = [...inUse].reduce((sum, { bytes }) => sum + bytes, 0);
    const openBytes = made.filter((value) => !gone.has(value)).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(openBytes, 'the budget holds but for what is on screen').toBeLessThanOrEqual(
      budgetBytes + beyond + inUseBytes,
    );
    expect(loader.heldBytes()).toBeLessThanOrEqual(budgetBytes + beyond);
  };

  for (const step of steps) {
    const pending = open();
    const one = 'which' in step ? pending[step.which % Math.max(1, pending.length)] : undefined;
    if (step.kind === 'want') {
      wanted.set(step.owner, step.now);
      loader.want(step.owner, step);
    } else if (step.kind === 'answer') one?.answer(step.bytes);
    else if (step.kind === 'fail') one?.fail(new Error('torn'));
    else if (step.kind === 'hold') {
      const outcome = loader.find(step.wish);
      if (outcome?.status === 'ready') {
        held.set(step.owner, outcome.value);
        loader.hold(step.owner, [outcome.value]);
      } else {
        held.delete(step.owner);
        loader.hold(step.owner, []);
      }
    } else if (step.kind === 'load') {
      loads += 1;
      void loader.load(step.wish).then(() => (settled += 1));
    } else if (step.kind === 'retry') loader.retry();
    else {
      wanted.clear();
      loader.clear();
    }
    await Promise.resolve();
    await settle();
    check();
  }
  return { ...played, check, wanted, held, isSettled: () => settled === loads };
}

describe('for any sequence of events', () => {
  test('no value leaks, none is disposed of while it is in use, and the budget holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { maxLength: 25 }), OPTIONS, async (steps, options) => {
        const { loader, held, check, open, wanted, made, disposed } = await play(steps, options);
        // A late answer to an aborted request is not kept either.
        for (const one of open()) one.answer(10);
        await settle();
        wanted.clear();
        held.clear();
        for (const owner of ['a', 'b', 'c']) loader.hold(owner, []);
        loader.clear();
        for (const one of open()) one.answer(10);
        await settle();
        check();
        expect(disposed.length, 'in the end nothing is open').toBe(made.length);
      }),
      { numRuns: 150 },
    );
  });

  test('every wish settles when all requests are answered, and then no more are sent', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(STEP, { maxLength: 25 }),
        OPTIONS,
        fc.nat({ max: 3_000 }),
        async (steps, options, bytes) => {
          const { loader, open, asked, wanted, isSettled } = await play(steps, { ...options, keepsWanted: true });
          // Ten wishes: each is requested again at most once, because another one has evicted it.
          for (let round = 0; round < 40 && open().length > 0; round++) {
            for (const one of open()) one.answer(bytes);
            await settle();
          }
          expect(open().length).toBe(0);
          const count = asked.length;
          await settle();
          expect(asked.length).toBe(count);
          for (const wish of [...wanted.values()].flat()) expect(loader.find(wish)).toBeDefined();
          expect(isSettled()).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });
});
