import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortByName } from './naturalOrder.ts';

function sorted(names: readonly string[]): string[] {
  return sortByName(names.map((name) => ({ name }))).map(({ name }) => name);
}

test('numbers inside names count as numbers', () => {
  const names = ['IM10', 'IM2', 'IM1', 'a', 'IM2b', 'IM2.dcm', '9', '10', 'B'];

  expect(sorted(names)).toEqual(['9', '10', 'B', 'IM1', 'IM2', 'IM2.dcm', 'IM2b', 'IM10', 'a']);
});

function uid(tail: string): string {
  return `1.2.826.0.1.3680043.8.498.${tail}`;
}

test('numbers longer than any integer type keep their order', () => {
  const small = uid('99999999999999999999999999999999999998');
  const large = uid('99999999999999999999999999999999999999');

  expect(sorted([large, uid('100000000000000000000000000000000000000'), small])).toEqual([
    small,
    large,
    uid('100000000000000000000000000000000000000'),
  ]);
});

test('leading zeros do not change the number, and still give one order', () => {
  expect(sorted(['7', '007', '8', '06'])).toEqual(['06', '007', '7', '8']);
});

test('the order does not depend on the order in which a folder was read', () => {
  const name = fc.string({ unit: fc.constantFrom('0', '1', '9', 'a', 'B', '.', 'é', '漢'), maxLength: 8 });
  const shuffledPair = fc
    .uniqueArray(name, { maxLength: 30 })
    .chain((names) => fc.tuple(fc.constant(names), fc.shuffledSubarray(names, { minLength: names.length })));

  fc.assert(
    fc.property(shuffledPair, ([names, shuffled]) => {
      expect(sorted(shuffled)).toEqual(sorted(names));
    }),
  );
});

test('whole numbers come out in numeric order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat()), (numbers) => {
      expect(sorted(numbers.map((number) => `slice${number}.dcm`))).toEqual(
        numbers.toSorted((a, b) => a - b).map((number) => `slice${number}.dcm`),
      );
    }),
  );
});
