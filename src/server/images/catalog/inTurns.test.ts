import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createInTurns } from './inTurns.ts';

test('items that arrive together are handled one per turn, in order', async () => {
  const handled: string[] = [];
  const take = createInTurns<string>((thing) => handled.push(thing));
  for (const thing of ['a', 'b', 'c']) take(thing);
  const seen = [handled.length];
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn();
    seen.push(handled.length);
  }
  expect(seen).toEqual([0, 1, 2, 3]);
  expect(handled).toEqual(['a', 'b', 'c']);
});

test('an item that arrives later, or while another is handled, is handled too', async () => {
  const handled: number[] = [];
  const take = createInTurns<number>((thing) => {
    handled.push(thing);
    if (thing < 3) take(thing + 1);
  });
  take(1);
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  take(9);
  await nextTurn();
  expect(handled).toEqual([1, 2, 3, 9]);
});
