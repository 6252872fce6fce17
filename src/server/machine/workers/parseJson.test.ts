import { expect, test } from 'vitest';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { measureJson, parseJson } from './parseJson.ts';

const NO_BOUNDS = { depth: Infinity, bytes: Infinity };

/** The value, or the code of the error. */
function parse(...given: Parameters<typeof parseJson>): unknown {
  try {
    return parseJson(...given);
  } catch (error) {
    return error instanceof ViewerError ? error.code : error;
  }
}

test('bytes and texts are parsed', () => {
  expect(parse(new TextEncoder().encode('{"a":[1,"ä\\"",null]}'))).toEqual({ a: [1, 'ä"', null] });
  expect(parse(' [[1.5], {}] ')).toEqual([[1.5], {}]);
});

test('of 20 MB of brackets, no more are read than a list may have levels', () => {
  const brackets = new Uint8Array(20 * 2 ** 20).fill(0x5b);
  expect(measureJson(brackets, { depth: 16, bytes: Infinity })).toMatchObject({ depth: 17, end: 17 });
  expect(parse(brackets)).toBe('invalid_json');
});

test('values are counted before they are made, and too many are refused', () => {
  // 1,000,000 empty lists take 64 bytes each.
  const lists = `[${'[],'.repeat(1_000_000)}[]]`;
  expect(measureJson(lists, NO_BOUNDS).bytes).toBeGreaterThan(64_000_000);
  expect(measureJson(lists, { depth: 16, bytes: 1_000_000 }).end).toBeLessThan(300_000);
  expect(parse(lists, { bytes: 64_000_000 })).toBe('payload_too_large');
});

test('brackets and commas in texts are no lists and no values', () => {
  const text = JSON.stringify('[{",\\'.repeat(1000));
  expect(measureJson(text, NO_BOUNDS)).toEqual({ depth: 0, bytes: text.length + 32, end: text.length });
  expect(parse(text)).toBe('[{",\\'.repeat(1000));
});

test.each(['', '{', '[1,]', 'undefined', 'NaN', '{"a":1}x', ']', '"', '"\\'])('%j is not JSON', (text) => {
  expect(parse(text)).toBe('invalid_json');
});

test('bytes that are not UTF-8 are refused instead of replaced', () => {
  expect(parse(Uint8Array.of(0x22, 0xff, 0x22))).toBe('invalid_json');
});

test('as many levels are read as the caller allows', () => {
  expect(parse('[[[]]]', { depth: 3 })).toEqual([[[]]]);
  expect(parse('[[[]]]', { depth: 2 })).toBe('invalid_json');
});
