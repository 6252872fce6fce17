import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createNumberTable } from './numberTable.ts';

test('a table finds what a map would find, by small and by large numbers', () => {
  const key = fc.oneof(fc.nat(3_000), fc.nat({ max: 2 ** 40 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.string())), fc.array(key), (entries, others) => {
      const table = createNumberTable<string>();
      for (const [at, value] of entries) table.set(at, value);
      const map = new Map(entries);
      for (const at of [...map.keys(), ...others]) expect(table.find(at)).toBe(map.get(at));
      table.clear();
      for (const at of map.keys()) expect(table.find(at)).toBeUndefined();
    }),
  );
});
