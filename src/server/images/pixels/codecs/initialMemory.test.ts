import { expect, test } from 'vitest';
import { lowerInitialMemory } from './initialMemory.ts';

// The smallest module with a memory: magic number, version, then section 5 with one memory, its flags (1: it has a
// maximum) and its limits, 4096 and 32768 pages in LEB128.
const MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 7, 1, 1, 0x80, 0x20, 0x80, 0x80, 2);

test('only the initial number of pages changes, and the module keeps its length', () => {
  const expected = Uint8Array.from(MODULE);
  // 256 is 2 * 128.
  expected.set([0x80, 2], 12);

  expect(lowerInitialMemory(MODULE, 256)).toEqual(expected);
  expected.set([0x85, 0], 12);
  expect(lowerInitialMemory(MODULE, 5)).toEqual(expected);
});

test('a module that already requests less, or has no memory, is unchanged', () => {
  expect(lowerInitialMemory(MODULE, 5000)).toEqual(MODULE);
  expect(lowerInitialMemory(MODULE.subarray(0, 8), 5)).toEqual(MODULE.subarray(0, 8));
});
