import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createInOrder } from './inOrder.ts';

test('runs that arrive in any order leave in the order of their positions', () => {
  const runs = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 20 }).map((lengths) => {
    let first = 0;
    return lengths.map((length) => {
      const run = { first, items: Array.from({ length }, (_, offset) => first + offset) };
      first += length;
      return run;
    });
  });
  const withArrivals = runs.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );

  fc.assert(
    fc.property(withArrivals, ([all, arrivals]) => {
      const left: number[] = [];
      const push = createInOrder<number[]>((run) => left.push(...run));
      for (const { first, items } of arrivals) push(first, items.length, items);

      expect(left).toEqual(all.flatMap(({ items }) => items));
    }),
  );
});

test('no result is passed on before the preceding ones', () => {
  const left: string[] = [];
  const push = createInOrder<string[]>((run) => left.push(...run));

  push(1, 2, ['b', 'c']);
  expect(left).toEqual([]);
  push(0, 1, ['a']);
  expect(left).toEqual(['a', 'b', 'c']);
});
