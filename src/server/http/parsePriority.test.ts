import { expect, test } from 'vitest';
import { parsePriority } from './parsePriority.ts';

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
