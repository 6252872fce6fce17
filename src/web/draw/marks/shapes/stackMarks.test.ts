import { expect, test } from 'vitest';
import { isStackDone } from './stackMarks.ts';

const NODULE = { key: 'n', title: 'Nodule', color: '#ff8800', required: true };
const CYST = { key: 'c', title: 'Cyst', color: '#0088ff' };

function createStackMarks(classes: readonly string[], isUnlabelled = false) {
  return { classes: new Set(classes), isUnlabelled };
}

test('a stack is done when it has a mark, all marks have a class, and no required class is missing', () => {
  expect(isStackDone(undefined, [])).toBe(false);
  expect(isStackDone(undefined, [CYST])).toBe(false);
  // Without classes, a mark cannot have one.
  expect(isStackDone(createStackMarks([], true), [])).toBe(true);
  expect(isStackDone(createStackMarks([], true), [CYST])).toBe(false);
  expect(isStackDone(createStackMarks(['c'], true), [CYST])).toBe(false);
  expect(isStackDone(createStackMarks(['c']), [CYST])).toBe(true);
  expect(isStackDone(createStackMarks(['c']), [CYST, NODULE])).toBe(false);
  expect(isStackDone(createStackMarks(['n']), [CYST, NODULE])).toBe(true);
});
