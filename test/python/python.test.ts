import { expect, test } from 'vitest';
import { needs, runPython } from '../support/needs.ts';

const PATIENCE_MS = 900_000;

test('the Python package passes its own tests', { ...needs('Python 3.9 with pytest'), timeout: PATIENCE_MS }, () => {
  const { status, stdout } = runPython('-m', 'pytest', '-q', '-p', 'no:cacheprovider');
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('passed') });
});
