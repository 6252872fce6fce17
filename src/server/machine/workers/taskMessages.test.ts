import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeFailure } from './taskMessages.ts';

test('a system call that fails is a file that cannot be read, and its path is not told', () => {
  const failure = failureOf(() => readFileSync('/nowhere/Doe^Jane.dcm'));

  expect(describeFailure(failure)).toEqual({
    kind: 'viewer',
    code: 'file_read_failed',
    message: 'the file cannot be read (ENOENT)',
  });
});

test('any other error is a bug', () => {
  expect(describeFailure(new RangeError('out of range'))).toMatchObject({
    kind: 'bug',
    message: 'RangeError: out of range',
  });
});

function failureOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
