import { expect, test } from 'vitest';
import { type CompareChoice, formatChoice, NO_CHOICE, parseChoice } from './compareChoice.ts';

test('what is compared is read as it was written, whatever names have in them', () => {
  const choice: CompareChoice = {
    truth: '~a;b,c=d&e.nii.gz',
    test: 'marks',
    pairs: [
      [1, 2],
      [30, 4],
    ],
    toleranceMm: 2.5,
    overlap: 0.5,
    look: 'outline',
    only: 'fp',
    pair: [30, 4],
  };

  expect(parseChoice(formatChoice(choice))).toEqual(choice);
  expect(formatChoice(choice)).not.toMatch(/[&#]/);
});

test('only what the user has changed is in the address', () => {
  expect(formatChoice({ ...NO_CHOICE, truth: '1.2', test: '1.3' })).toBe('1.2,1.3');
  expect(parseChoice('1.2,1.3')).toEqual({ ...NO_CHOICE, truth: '1.2', test: '1.3' });
});

test.each([
  '',
  ',',
  'x',
  'a,b;pairs=x;tolerance=-1;overlap=1;look=loud;only=tn;pair=1',
  '%E0%A4%A,%;tolerance=;overlap=1e9',
])('wrong texts are as at the start: %s', (text) => {
  const { truth, test: other, pairs, ...rest } = parseChoice(text);
  const { truth: _, test: __, pairs: ___, ...start } = NO_CHOICE;
  expect(rest).toEqual(start);
  expect(pairs ?? []).toEqual([]);
  expect([truth, other]).not.toContain('');
});
