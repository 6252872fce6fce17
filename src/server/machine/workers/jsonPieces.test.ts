import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  closeObject,
  encodeTexts,
  inPieces,
  openObject,
  PIECE_LENGTH,
  writeArray,
  writeIntegers,
} from './jsonPieces.ts';

test('integers are written as JSON writes them', () => {
  const number = fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.constantFrom(0, 9, 10, 99, 100, 2 ** 32 - 1));
  fc.assert(
    fc.property(fc.array(number), (numbers) => {
      expect([...writeIntegers(numbers)].join('')).toBe(JSON.stringify(numbers));
    }),
  );
});

test('a long list of integers is yielded in texts of a quarter of a piece', () => {
  const numbers = Array.from({ length: 5_000 }, (_, i) => i * 858_993);
  const texts = [...writeIntegers(numbers)];
  // Nearly all have nine or ten digits: about 53,000 characters in texts of 16,384, and the two brackets.
  expect(texts.length).toBe(4 + 2);
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(PIECE_LENGTH / 4);
  expect(texts.join('')).toBe(`[${numbers.join(',')}]`);
});

test.each([0, 1, 2, 60_000])(
  'an array of %i values is written as JSON writes it, in texts of about a piece',
  (count) => {
    const values = Array.from({ length: count }, (_, i) => ({ i }));
    const json = JSON.stringify(values);
    const short = [...writeArray(values, (value) => JSON.stringify(value))];
    const long = [...writeArray(values, ({ i }, position) => ['{"i":', String(position === i ? i : -1), '}'])];

    expect(short.join('')).toBe(json);
    expect(long.join('')).toBe(json);
    // Each value has fewer than 12 characters, and a comma.
    expect(short.every(({ length }) => length < 2 * PIECE_LENGTH)).toBe(true);
  },
);

test('an object is left open for members that follow one by one', () => {
  const text = `${openObject({ a: 1 })},"b":[]${closeObject({ c: 'ä' })}`;
  expect(JSON.parse(text)).toEqual({ a: 1, b: [], c: 'ä' });
});

test('texts are joined into pieces of at least the length wanted, and their result is returned', () => {
  const pieces = inPieces(write(), { length: 3, ms: Infinity });
  expect([pieces.next(), pieces.next(), pieces.next(), pieces.next()]).toEqual([
    { done: false, value: 'abc' },
    { done: false, value: 'def' },
    { done: false, value: 'g' },
    { done: true, value: 'end' },
  ]);
});

test('a piece is complete when its texts took long, however short it is', () => {
  expect([...inPieces(write(), { length: Infinity, ms: -1 })]).toEqual(['ab', 'c', 'def', 'g']);
});

test('text that spans several pieces is encoded as UTF-8', () => {
  const texts = ['ä'.repeat(PIECE_LENGTH), '€', 'x'];
  expect(new TextDecoder().decode(encodeTexts(texts))).toBe(texts.join(''));
});

function* write(): Generator<string, string> {
  for (const text of ['ab', 'c', 'def', '', 'g']) yield text;
  return 'end';
}
