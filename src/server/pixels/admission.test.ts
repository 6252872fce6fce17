import { EventEmitter, once } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAdmission, defaultBudget, estimateDecodeBytes, limitCaches, planMemory } from './admission.ts';

const GIB = 2 ** 30;

describe('the budget', () => {
  test.each([
    ['a quarter of 8 GiB', 8 * GIB, 2 * GIB],
    ['at most 4 GiB', 256 * GIB, 4 * GIB],
    ['at least 512 MiB', 1.5 * GIB, GIB / 2],
    ['at most half of a very small machine', GIB / 2, GIB / 4],
  ])('is %s', (_, memory, budget) => expect(defaultBudget(memory)).toBe(budget));

  test('is what --memory says, and its shares are not more than it', () => {
    const { totalBytes, ...shares } = planMemory(GIB);
    expect(totalBytes).toBe(GIB);
    expect(Object.values(shares).reduce((sum, share) => sum + share)).toBeLessThanOrEqual(GIB);
  });

  test('leaves caches what --cache-budget says, in their proportions, and never more than planned', () => {
    const plan = planMemory(GIB);
    const { rawCacheBytes, packedCacheBytes, displayCacheBytes, thumbnailCacheBytes, ...others } = limitCaches(
      plan,
      34_000,
    );
    // 18, 4, 9 and 3 of 34 percent.
    const caches = [rawCacheBytes, packedCacheBytes, displayCacheBytes, thumbnailCacheBytes];
    expect(caches.map((bytes) => Math.round(bytes / 1_000))).toEqual([18, 4, 9, 3]);
    expect(plan).toMatchObject(others);
    expect(limitCaches(plan, GIB)).toEqual(plan);
    expect(limitCaches(plan, undefined)).toEqual(plan);
  });
});

test.each([
  // 2 x 100 + 16 MiB + 3 x 2,000
  ['native', 16_783_416],
  ['jpeg', 16_787_416],
  // 16 bytes a sample, and the frame twice
  ['jpeg2000', 16_797_416],
] as const)('a decode of the method %s takes %i bytes', (method, bytes) => {
  expect(estimateDecodeBytes({ encodedBytes: 100, samples: 1_000, bytesPerSample: 2, method })).toBe(bytes);
});

describe('admission', () => {
  test('keeps a decode waiting until its bytes fit', async () => {
    const admission = createAdmission(100);
    const first = createGate();
    const order: string[] = [];
    const running = admission.reserve({ bytes: 60 }, () => first.passed);
    const waiting = admission.reserve({ bytes: 60 }, async () => order.push('second'));
    await settle();
    expect([order, admission.heldBytes(), admission.waiting()]).toEqual([[], 60, 1]);

    first.open();
    await Promise.all([running, waiting]);
    expect([order, admission.heldBytes(), admission.waiting()]).toEqual([['second'], 0, 0]);
  });

  test('refuses at once what will never fit, and names the flag', async () => {
    const admission = createAdmission(100 * 2 ** 20);
    await expect(admission.reserve({ bytes: 200 * 2 ** 20 }, async () => 0)).rejects.toMatchObject({
      code: 'decode_memory_exceeded',
      message: expect.stringMatching(/200 MiB.*100 MiB.*--memory/),
    });
  });

  test('answers decode_busy when too many wait', async () => {
    const admission = createAdmission(100, 1);
    const gate = createGate();
    const running = admission.reserve({ bytes: 100 }, () => gate.passed);
    const waiting = admission.reserve({ bytes: 100 }, async () => 'waited');
    await expect(admission.reserve({ bytes: 100 }, async () => 0)).rejects.toMatchObject({ code: 'decode_busy' });
    gate.open();
    await running;
    expect(await waiting).toBe('waited');
  });

  test('lets interactive work pass prefetch', async () => {
    const admission = createAdmission(100);
    const gate = createGate();
    const order: string[] = [];
    const all = [
      admission.reserve({ bytes: 100 }, () => gate.passed),
      admission.reserve({ bytes: 40, priority: 'prefetch' }, async () => order.push('prefetch')),
      admission.reserve({ bytes: 100 }, async () => order.push('interactive')),
    ];
    gate.open();
    await Promise.all(all);
    expect(order).toEqual(['interactive', 'prefetch']);
  });

  test('gives prefetch no more than half while others run', async () => {
    const admission = createAdmission(100);
    const gate = createGate();
    const all = [1, 2, 3].map(() => admission.reserve({ bytes: 25, priority: 'prefetch' }, () => gate.passed));
    await settle();
    expect([admission.heldBytes(), admission.waiting()]).toEqual([50, 1]);
    gate.open();
    await Promise.all(all);
  });

  test('forgets who is aborted while waiting, and lets the next one in', async () => {
    const admission = createAdmission(100);
    const gate = createGate();
    const aborter = new AbortController();
    const running = admission.reserve({ bytes: 60 }, () => gate.passed);
    const large = admission.reserve({ bytes: 90, signal: aborter.signal }, async () => 'large');
    const small = admission.reserve({ bytes: 40 }, async () => 'small');
    aborter.abort(new Error('left'));
    await expect(large).rejects.toThrow('left');
    expect(await small).toBe('small');
    gate.open();
    await running;
  });

  test('never holds more than its budget, and gives everything back, also after failures', async () => {
    const job = fc.record({
      bytes: fc.integer({ min: 1, max: 120 }),
      fails: fc.boolean(),
      priority: fc.constantFrom('interactive' as const, 'prefetch' as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(job), async (jobs) => {
        const admission = createAdmission(100, 5);
        const seen: number[] = [];
        const results = await Promise.allSettled(
          jobs.map(({ bytes, fails, priority }) =>
            admission.reserve({ bytes, priority }, async () => {
              seen.push(admission.heldBytes());
              await settle();
              if (fails) throw new Error('failed');
            }),
          ),
        );
        expect(results).toHaveLength(jobs.length);
        expect(Math.max(0, ...seen)).toBeLessThanOrEqual(100);
        expect([admission.heldBytes(), admission.waiting()]).toEqual([0, 0]);
      }),
    );
  });
});

function createGate() {
  const gate = new EventEmitter();
  return { passed: once(gate, 'open'), open: () => gate.emit('open') };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
