import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createByteCache } from './byteCache.ts';

describe('a byte cache', () => {
  test('drops the least recently used value', () => {
    // Three entries of 744 bytes plus 256 each for the entry itself fill 3,000.
    const cache = createByteCache<string>(3_000);
    for (const key of ['a', 'b', 'c']) cache.set(key, key, 744);
    cache.get('a');
    cache.set('d', 'd', 744);
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual(['a', undefined, 'c', 'd']);
  });

  test('does not keep a value larger than its budget, and drops no other for it', () => {
    const cache = createByteCache<string>(3_000);
    cache.set('small', 'small', 100);
    cache.set('large', 'large', 5_000);
    expect([cache.get('small'), cache.get('large')]).toEqual(['small', undefined]);
  });

  test('counts a replaced value once', () => {
    const cache = createByteCache<string>(10_000);
    cache.set('a', 'one', 1_000);
    const before = cache.bytes();
    cache.set('a', 'two', 1_000);
    expect(cache.bytes()).toBe(before);
    expect(cache.get('a')).toBe('two');
  });

  test('reports every value that it removes, for whatever reason', () => {
    const gone: number[] = [];
    const cache = createByteCache<number>(2_000, (value) => gone.push(value));
    cache.set('a', 1, 500);
    cache.set('a', 2, 500);
    cache.set('large', 3, 5_000);
    cache.set('b', 4, 1_000);
    cache.delete('b');
    cache.set('c', 5, 10);
    cache.clear();
    expect(gone).toEqual([1, 3, 2, 4, 5]);
  });

  test('never exceeds its budget, and returns only the latest value of a key', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const step = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), key, bytes: fc.nat({ max: 4_000 }) }),
      fc.record({ kind: fc.constantFrom('get' as const, 'delete' as const), key }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const cache = createByteCache<number>(5_000);
        const written = new Map<string, number>();
        for (const [time, action] of steps.entries()) {
          if (action.kind === 'set') cache.set(action.key, time, action.bytes);
          if (action.kind === 'set') written.set(action.key, time);
          if (action.kind === 'delete') cache.delete(action.key);
          if (action.kind === 'delete') written.delete(action.key);
          expect([undefined, written.get(action.key)]).toContain(cache.get(action.key));
          expect(cache.bytes()).toBeLessThanOrEqual(5_000);
        }
        cache.clear();
        expect([cache.bytes(), cache.count()]).toEqual([0, 0]);
      }),
    );
  });
});
