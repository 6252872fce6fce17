import { expect, test } from 'vitest';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { parseBody } from './parseBody.ts';

/** The value, or the code of the error. */
function parse(body: string | Uint8Array): unknown {
  try {
    return parseBody(typeof body === 'string' ? new TextEncoder().encode(body) : body);
  } catch (error) {
    return error instanceof ViewerError ? error.code : error;
  }
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

test('JSON is parsed', () => {
  expect(parse('{"a":[1,"ä",null]}')).toEqual({ a: [1, 'ä', null] });
});

test.each(['', '{', '{"a":1,}', 'undefined', 'NaN', "{'a':1}", '{"a":1}x', '\u{feff}x'])('%j is not JSON', (text) => {
  expect(parse(text)).toBe('invalid_json');
});

test('bytes that are not UTF-8 are refused instead of replaced', () => {
  expect(parse(Uint8Array.of(0x22, 0xff, 0x22))).toBe('invalid_json');
});

test('16 levels are read, 17 are refused', () => {
  expect(parse(nested(16))).toEqual(JSON.parse(nested(16)));
  expect(parse(nested(17))).toBe('invalid_json');
});

test.each(['{"__proto__":{"a":1}}', '{"a":[{"constructor":1}]}', '{"a":{"prototype":1}}', '{"__pro\\u0074o__":1}'])(
  '%s is refused: it aims at every object of the program',
  (text) => {
    expect(parse(text)).toBe('invalid_json');
  },
);
