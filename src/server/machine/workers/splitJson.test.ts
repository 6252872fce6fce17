import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { parseJson } from './parseJson.ts';
import { splitJson } from './splitJson.ts';

const OPTIONS = { parse: (part: Uint8Array) => parseJson(part), mostItems: 1000 };

function split(text: string, options = OPTIONS) {
  return splitJson(new TextEncoder().encode(text), options);
}

/** The root with its lists filled again, or the code of the error. */
function putTogether(text: string): unknown {
  try {
    const { root, items } = split(text);
    if (Array.isArray(root)) return [...items()!];
    if (typeof root !== 'object' || root === null) return root;
    const members = Object.entries(root).map(([name, value]) => [name, items(name) ? [...items(name)!] : value]);
    return Object.fromEntries(members);
  } catch (error) {
    return error instanceof ViewerError ? error.code : error;
  }
}

function noOdd(value: unknown): boolean {
  return !JSON.stringify(value).includes('__proto__');
}

test('the parts of a file are the file', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }).filter(noOdd), fc.constantFrom(0, 1), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(putTogether(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ['{"a":[1,[2,3],{"a":[4]}],"b":{"a":[5]},"a\\u0062":[ ]}', { a: [1, [2, 3], { a: [4] }], b: { a: [5] }, ab: [] }],
  // The last one counts, as for every other reader.
  ['{"a":[1],"a":[2]}', { a: [2] }],
  ['[1,"],[",2]', [1, '],[', 2]],
])('%s has its lists', (text, value) => {
  expect(putTogether(text)).toEqual(value);
});

test.each([
  '',
  '[',
  '[1,]',
  '[,1]',
  '[1}',
  '{"a":[1}',
  '{"a":[1]',
  '{"a":[1]]',
  '{"a":[1]}}',
  '{"a" [1]}',
  '["',
  '{"a":["\\',
  '[1 2]',
  '{"a":[{]}]}',
  '['.repeat(100),
])('%s is not JSON', (text) => {
  expect(putTogether(text)).toBe('invalid_json');
});

test('one item is parsed at a time, and only if it is wanted', () => {
  const parsed: string[] = [];
  const parse = (part: Uint8Array) => {
    parsed.push(new TextDecoder().decode(part));
    return parseJson(part);
  };
  const { items } = split('{"a":[{"b":1},{"c":2}]}', { ...OPTIONS, parse });
  expect(parsed).toEqual(['"a"', '{"a":[]}']);
  for (const item of items('a')!) {
    expect(item).toEqual({ b: 1 });
    break;
  }
  expect(parsed).toEqual(['"a"', '{"a":[]}', '{"b":1}']);
});

function parseNothing(): never {
  throw new Error('nothing is parsed');
}

test('more items than allowed are refused when they are found', () => {
  expect(() => split(`[${'1,'.repeat(1000)}1]`, { ...OPTIONS, parse: parseNothing })).toThrow('more than 1000 items');
});
