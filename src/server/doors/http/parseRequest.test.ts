import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { JUDGED_BY_ROUTE } from '../../../shared/contract/frames.ts';
import { type TObject, Type } from '../../../shared/contract/schema.ts';
import { parsePriority, parseQuery, parseRange } from './parseRequest.ts';

const SCHEMA = Type.Object({
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
  center: Type.Optional(Type.Number()),
  width: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  only: Type.Optional(Type.Boolean()),
  mode: Type.Optional(Type.Enum(['default', 'full_dynamic'])),
  path: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })),
  parts: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1, maxItems: 3 })),
  point: Type.Optional(Type.Array(Type.Number(), { minItems: 3, maxItems: 3 })),
});

/** The values that a route would get, or the message of the error. */
function parse(query: string, schema: TObject = SCHEMA): unknown {
  try {
    return parseQuery(schema, { query });
  } catch (error) {
    if (!(error instanceof ViewerError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

test.each([
  ['', {}],
  ['count=1', { count: 1 }],
  ['count=256&center=-1000.5', { count: 256, center: -1000.5 }],
  ['center=4e1', { center: 40 }],
  ['center=%2B5&count=%2B2', { center: 5, count: 2 }],
  ['center=.5&width=1.', { center: 0.5, width: 1 }],
  ['only=true', { only: true }],
  ['only=false', { only: false }],
  ['mode=full_dynamic', { mode: 'full_dynamic' }],
  ['path=a%2Fb+c', { path: 'a/b c' }],
  ['other=1&other=2', {}],
])('%s is read as %j', (query, values) => {
  expect(parse(query)).toEqual(values);
});

test.each([
  ['count=0', 'count must be a whole number from 1 to 256'],
  ['count=257', 'count must be a whole number from 1 to 256'],
  ['count=1.0', 'count must be a whole number from 1 to 256'],
  ['count=1e2', 'count must be a whole number from 1 to 256'],
  ['count=0x10', 'count must be a whole number from 1 to 256'],
  ['count=%201', 'count must be a whole number from 1 to 256'],
  ['count=', 'count must be a whole number from 1 to 256'],
  ['count=1&count=1', 'count is given more than once'],
  ['center=abc', 'center must be a number'],
  ['center=NaN', 'center must be a number'],
  ['center=Infinity', 'center must be a number'],
  ['center=1e999', 'center must be a number'],
  ['center=1,5', 'center must be a number'],
  ['width=0', 'width must be a number above 0'],
  ['only=yes', 'only must be true or false'],
  ['only=1', 'only must be true or false'],
  ['mode=Default', 'mode must be one of default, full_dynamic'],
  ['path=', 'path is empty'],
  ['parts=1,2,3,4', 'parts must be 1 to 3 values separated by commas, each of them a whole number of at least 0'],
  ['point=1,2', 'point must be 3 values separated by commas, each of them a number'],
  ['path=abcdef', 'path must be text of 1 to 5 characters'],
])('%s is refused: %s', (query, message) => {
  expect(parse(query)).toBe(`invalid_query: ${message}`);
});

test('a parameter that must be there is missed by its name', () => {
  expect(parse('', Type.Object({ path: Type.String() }))).toBe('invalid_query: path is missing');
});

test('every finite number that JavaScript writes is read back as itself', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (center) => {
      // Zero is written without its sign.
      expect(parse(`center=${encodeURIComponent(String(center))}`)).toEqual({ center: center + 0 });
    }),
  );
});

test.each([
  ['center=NaN', { center: Number.NaN }],
  ['center=-inf', { center: -Infinity }],
  ['center=Infinity', { center: Infinity }],
  ['center=1e999', { center: Infinity }],
  ['center=-40.5', { center: -40.5 }],
])('%s is read as %j where what is no finite number has a refusal of its own', (query, values) => {
  const schema = Type.Object({ center: Type.Optional(Type.Number({ [JUDGED_BY_ROUTE]: true })) });
  expect(parse(query, schema)).toEqual(values);
  expect(parse('center=abc', schema)).toBe('invalid_query: center must be a number');
});

test.each([
  [undefined, 'interactive'],
  ['', 'interactive'],
  ['i', 'interactive'],
  ['u=3', 'interactive'],
  ['u=0, i', 'interactive'],
  ['u=5, i', 'interactive'],
  ['u=6', 'prefetch'],
  ['u=7', 'prefetch'],
  ['i, u=6', 'prefetch'],
  ['u=6;q=1', 'prefetch'],
  ['u=60', 'interactive'],
  ['v=6', 'interactive'],
  ['nonsense', 'interactive'],
])('the header "%s" means %s', (header, priority) => {
  expect(parsePriority(header)).toBe(priority);
});

test.each([
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=10-19', { start: 10, end: 20 }],
  ['bytes=90-', { start: 90, end: 100 }],
  ['bytes=-5', { start: 95, end: 100 }],
  ['bytes=-500', { start: 0, end: 100 }],
  ['bytes=50-1000', { start: 50, end: 100 }],
])('%s of 100 bytes is a range', (header, range) => {
  expect(parseRange(header, 100)).toEqual(range);
});

test.each([
  undefined,
  '',
  'bytes=-',
  'bytes=100-',
  'bytes=20-10',
  'bytes=-0',
  'bytes=0-1,5-6',
  'items=0-1',
  'bytes=a-b',
])('%s is none, and the whole is sent', (header) => {
  expect(parseRange(header, 100)).toBeUndefined();
});
