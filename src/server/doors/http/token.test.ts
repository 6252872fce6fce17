import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createToken } from './token.ts';

test('a token is 32 random bytes as base64url, another one each time', () => {
  const tokens = new Set(Array.from({ length: 100 }, () => createToken().text));
  expect(tokens.size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
});

test('a token matches itself and nothing else, whatever its length', () => {
  const token = createToken();
  expect(token.matches(token.text)).toBe(true);
  fc.assert(fc.property(fc.string(), (given) => given === token.text || !token.matches(given)));
  expect(token.matches(token.text.slice(0, -1))).toBe(false);
  expect(token.matches(`${token.text}A`)).toBe(false);
});

test('a fixed token is used unchanged', () => {
  const text = 'x'.repeat(32);
  expect(createToken(text).text).toBe(text);
  expect(createToken(text).matches(text)).toBe(true);
});

test.each(['', 'short', 'x'.repeat(31), `${'x'.repeat(32)} `, `${'x'.repeat(32)}\n`, `${'x'.repeat(31)}é`])(
  '%j is no token that anyone may fix',
  (text) => {
    expect(() => createToken(text)).toThrow('at least 32');
  },
);
