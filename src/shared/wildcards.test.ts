import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileWildcards, type TextUnits } from './wildcards.ts';

const SQL = { text: '%', character: '_' };

/** The definition: `%` stands for nothing, or for one character and then again for any text. */
function isLike(text: string, pattern: string): boolean {
  if (pattern === '') return text === '';
  const [first, rest] = [pattern[0], pattern.slice(1)];
  if (first === '%') return isLike(text, rest) || (text !== '' && isLike(text.slice(1), pattern));
  return text !== '' && (first === '_' || first === text[0]) && isLike(text.slice(1), rest);
}

test.each([
  ['', '', true],
  ['', '%', true],
  ['', '_', false],
  ['a', '', false],
  ['abc', 'abc', true],
  ['abc', 'ab', false],
  ['abc', 'bc', false],
  ['abc', '%bc', true],
  ['abc', 'a%', true],
  ['abc', 'a_c', true],
  ['abcabd', '%ab_', true],
  ['aab', '%ab', true],
  ['a%c', 'a%c', true],
])('%j is like %j: %j', (text, pattern, expected) => {
  expect(compileWildcards(pattern, SQL)(text)).toBe(expected);
});

function some(characters: string, maxLength: number): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...characters.split('')), { maxLength }).map((units) => units.join(''));
}

test('a text matches as the definition says, also patterns of more than one word of bits', () => {
  fc.assert(
    fc.property(some('ab', 12), some('ab%_', 8), fc.nat(70), (text, pattern, before) => {
      const prefix = 'b'.repeat(before);
      expect(compileWildcards(prefix + pattern, SQL)(prefix + text)).toBe(isLike(text, pattern));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['many texts', '%a'.repeat(500)],
  ['one text and a long end that is not there', `%${'a'.repeat(1000)}b`],
  ['one text and any characters', `%${'a_'.repeat(500)}b`],
])('each character of a text is read once for a pattern of %s', (_, pattern) => {
  let reads = 0;
  const text: TextUnits = {
    length: 10_000,
    charCodeAt: () => {
      reads += 1;
      return 'a'.charCodeAt(0);
    },
  };
  compileWildcards(pattern, SQL)(text);
  expect(reads).toBe(10_000);
});
