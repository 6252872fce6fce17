import { describe, expect, test } from 'vitest';
import { lookUp, parseLookupTable } from './lookupTable.ts';

describe('a lookup table', () => {
  test('maps its first value to its first entry, and repeats the ends', () => {
    const table = parseLookupTable({ descriptor: [3, 100, 16], data: words(7, 8, 9), signedInput: false });
    expect([0, 99, 100, 101, 102, 103, 9999].map((value) => lookUp(table!, value))).toEqual([7, 7, 7, 8, 9, 9, 9]);
  });

  test('uses the entry nearest to a value between two', () => {
    const table = parseLookupTable({ descriptor: [3, 0, 16], data: words(7, 8, 9), signedInput: false });
    expect([0.4, 0.5, 1.4].map((value) => lookUp(table!, value))).toEqual([7, 8, 8]);
  });

  test('of 0 entries has 65,536', () => {
    const data = new Uint8Array(Uint16Array.from({ length: 65_536 }, (_, i) => i).buffer);
    const table = parseLookupTable({ descriptor: [0, 0, 16], data, signedInput: false });
    expect(table?.entries.length).toBe(65_536);
    expect(lookUp(table!, 65_535)).toBe(65_535);
  });

  // 0xFC18 is 64536 as US and -1000 as SS; implicit VR does not tell which.
  test.each([
    [64_536, true, -1000],
    [-1000, true, -1000],
    [64_536, false, 64_536],
    [-1000, false, 64_536],
  ])('with first value %i and signed input %s starts at %i', (written, signedInput, firstValue) => {
    const table = parseLookupTable({ descriptor: [2, written, 16], data: words(1, 2), signedInput });
    expect(table?.firstValue).toBe(firstValue);
  });

  test('of 8-bit entries is read packed or with one word each, depending on its length', () => {
    const packed = parseLookupTable({ descriptor: [4, 0, 8], data: Uint8Array.of(1, 2, 3, 4), signedInput: false });
    const wide = parseLookupTable({ descriptor: [4, 0, 8], data: words(1, 2, 3, 4), signedInput: false });
    expect([...packed!.entries]).toEqual([1, 2, 3, 4]);
    expect([...wide!.entries]).toEqual([1, 2, 3, 4]);
  });

  test('with less data than described has the existing entries', () => {
    const table = parseLookupTable({ descriptor: [10, 0, 16], data: words(5, 6), signedInput: false });
    expect(lookUp(table!, 9)).toBe(6);
  });

  test.each([
    ['an empty descriptor', [], words(1)],
    ['no data', [4, 0, 16], new Uint8Array(0)],
  ])('is undefined for %s', (_, descriptor, data) => {
    expect(parseLookupTable({ descriptor, data, signedInput: false })).toBeUndefined();
  });
});

function words(...values: number[]): Uint8Array {
  return new Uint8Array(Uint16Array.from(values).buffer);
}
