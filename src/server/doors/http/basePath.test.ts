import { expect, test } from 'vitest';
import { cutBasePath } from './basePath.ts';

test.each([
  ['/', '', '/'],
  ['/api/files?limit=1', '', '/api/files?limit=1'],
  ['/node/c12/8042/', '/node/c12/8042', '/'],
  ['/node/c12/8042/api/files?limit=1', '/node/c12/8042', '/api/files?limit=1'],
  ['/node/c12/8042', '/node/c12/8042', ''],
  ['/node/c12/8042?x', '/node/c12/8042', ''],
  ['/node/c12/80421/', '/node/c12/8042', undefined],
  ['/', '/node', undefined],
  ['/api/files', '/node', undefined],
  ['/NODE/', '/node', undefined],
  ['/%6eode/', '/node', undefined],
  // The gate refuses what is left.
  ['/node//api/files', '/node', '//api/files'],
  ['/node/../api/files', '/node', '/../api/files'],
])('%s below "%s" is %s', (target, basePath, rest) => {
  expect(cutBasePath(target, basePath)).toBe(rest);
});
