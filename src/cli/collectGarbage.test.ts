import { constants, PerformanceObserver } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { createLook, pressForCollection } from './collectGarbage.ts';

const MIB = 2 ** 20;

test('each growth by a megabyte is followed by two collections, and by no more', () => {
  const pressed: number[] = [];
  let looks = 0;
  const look = createLook(10 * MIB, () => pressed.push(looks));
  // The size falls after the first two collections; the growth at the seventh look is permanent.
  for (const mib of [10.5, 12, 10.2, 10.2, 10.9, 11, 12, 12, 12, 12]) {
    looks += 1;
    look(mib * MIB);
  }
  expect(pressed).toEqual([2, 3, 7, 8]);
});

test('a collection that takes longer than three looks is followed by another one', () => {
  const pressed: number[] = [];
  let looks = 0;
  const look = createLook(10 * MIB, () => pressed.push(looks));
  // The collection that the second look started ends after the fifth one, the next one after the sixth.
  for (const mib of [10, 80, 80, 80, 80, 40, 11, 10.5, 10.5]) {
    looks += 1;
    look(mib * MIB);
  }
  expect(pressed).toEqual([2, 3, 6, 7]);
});

test('under pressure V8 collects, although it does not need the space', { timeout: 180_000 }, async () => {
  let collections = 0;
  const observer = new PerformanceObserver((seen) => (collections += seen.getEntries().filter(isMajor).length));
  observer.observe({ entryTypes: ['gc'] });
  const pressAndCount = () => {
    pressForCollection();
    return collections;
  };
  // V8 also collects on its own, but less often.
  await expect.poll(pressAndCount, { interval: 250, timeout: 60_000 }).toBeGreaterThanOrEqual(8);
  observer.disconnect();
});

function isMajor(entry: object): boolean {
  const { detail } = entry as { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
