import { expect, test } from 'vitest';
import { packList, unpackList } from './packedList.ts';

test('a list comes back in its order, and is packed in several turns', () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({ index, path: `folder/${index}`, size: index ** 3 }));
  const work = packList(items);
  let turns = 1;
  let step = work.next();
  while (step.done !== true) {
    turns += 1;
    step = work.next();
  }
  expect(unpackList(step.value)).toEqual(items);
  // 1000 items, 128 in each turn.
  expect(turns).toBe(8);
});

test('an empty list stays empty', () => {
  const { value } = packList([]).next();
  expect(value && unpackList(value)).toEqual([]);
});
