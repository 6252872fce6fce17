import { expect, test } from 'vitest';
import { bufferSource } from './byteSource.ts';

test('a buffer source answers like a file', () => {
  const source = bufferSource(Uint8Array.of(1, 2, 3));
  expect(source.read(1, 10)).toEqual(Uint8Array.of(2, 3));
  expect(source.read(9, 10)).toHaveLength(0);
  expect(source.size).toBe(3);
});
