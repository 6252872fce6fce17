import { describe, expect, test } from 'vitest';
import { createMemoryAccount } from './memoryAccount.ts';
import { defaultBudget, limitFrameCaches, MEMORY_SHARES, planMemory } from './memoryPlan.ts';

const GIB = 2 ** 30;
const MIB = 2 ** 20;
/** The part of a budget of 1 GiB that the shares divide. */
const SHARED = GIB - 64 * MIB;

describe('the budget', () => {
  test.each([
    ['a quarter of 8 GiB', 8 * GIB, 2 * GIB],
    ['at most 4 GiB', 256 * GIB, 4 * GIB],
    ['at least 512 MiB', 1.5 * GIB, GIB / 2],
    ['at most half of a very small machine', GIB / 2, GIB / 4],
  ])('is %s', (_, memory, budget) => expect(defaultBudget(memory)).toBe(budget));

  test.each([
    ['all but 64 MiB for Node itself', GIB, GIB - 64 * MIB],
    ['half of a very small budget', 96 * MIB, 48 * MIB],
  ])('equals --memory, and the shares are %s', (_, flag, shared) => {
    const { totalBytes, ...shares } = planMemory(flag);
    expect(totalBytes).toBe(flag);
    const sum = Object.values(shares).reduce((total, share) => total + share);
    // Each share is rounded down.
    expect(sum).toBeLessThanOrEqual(shared);
    expect(sum).toBeGreaterThan(shared - Object.keys(shares).length);
    expect(Object.keys(shares)).toEqual(Object.keys(MEMORY_SHARES));
  });

  test('gives the frame caches the --cache-budget in proportion, and never more than planned', () => {
    const plan = planMemory(GIB);
    const { rawFrames, packedFrames, displayFrames, thumbnails, planes, sheets, ...others } = limitFrameCaches(
      plan,
      18_500,
    );
    // Shares of 5, 1.5, 4, 2.5, 2 and 1, out of 16 percent: 37 times 5/16 is 11.6, and so on.
    const caches = [rawFrames, packedFrames, displayFrames, thumbnails, planes, sheets];
    expect(caches.map((bytes) => Math.round(bytes / 500))).toEqual([12, 3, 9, 6, 5, 2]);
    expect(plan).toMatchObject(others);
    expect(limitFrameCaches(plan, GIB)).toEqual(plan);
    expect(limitFrameCaches(plan, undefined)).toEqual(plan);
  });
});

test('the account reports the limit and the held bytes of every use', () => {
  const memory = createMemoryAccount(GIB);
  memory.cache<string>('masks').set('a', 'value', 1_000);

  const uses = new Map(memory.report().map(({ use, ...bytes }) => [use, bytes]));

  // An entry takes 256 bytes in addition to its value.
  expect(uses.get('masks')).toEqual({
    budgetBytes: Math.floor((SHARED * MEMORY_SHARES.masks) / 100),
    heldBytes: 1_256,
  });
  expect(uses.get('tasks')).toEqual({ budgetBytes: SHARED / 2, heldBytes: 0 });
  expect(uses.size).toBe(Object.keys(MEMORY_SHARES).length);
});

test('a share is given to one cache only', () => {
  const memory = createMemoryAccount(GIB);
  memory.cache('masks');
  expect(() => memory.cache('masks')).toThrow('exists already');
});

test('the parts of a cache share its budget, and a key of one is none of another', () => {
  const memory = createMemoryAccount(GIB);
  const cache = memory.cache('masks');
  const places = cache.part<string>('places');
  const counts = cache.part<number>('counts');

  places.set('a', 'here', 1_000);
  counts.set('a', 3, 0);

  expect([places.get('a'), counts.get('a'), cache.get('a')]).toEqual(['here', 3, undefined]);
  // Two entries of 256 bytes in addition to their values.
  expect(memory.report().find(({ use }) => use === 'masks')?.heldBytes).toBe(1_512);
  // So large that the entry of the other part has to go.
  counts.set('b', 4, memory.plan.masks - 256);
  expect([places.get('a'), counts.get('a'), counts.get('b')]).toEqual([undefined, undefined, 4]);
});
