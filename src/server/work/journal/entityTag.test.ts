import { expect, test } from 'vitest';
import { entityTag, matchesEntityTag } from './entityTag.ts';

test.each([
  ['*', true],
  ['"run-2"', true],
  [' "run-2" ', true],
  ['"run-1", "run-2"', true],
  ['"run-1"', false],
  ['"other-2"', false],
  // If-Match uses strong comparison (RFC 9110, 13.1.1).
  ['W/"run-2"', false],
  ['run-2', false],
  ['', false],
])('If-Match %j against "run-2": %s', (ifMatch, matches) => {
  expect(matchesEntityTag(ifMatch, entityTag('run', 2))).toBe(matches);
});
