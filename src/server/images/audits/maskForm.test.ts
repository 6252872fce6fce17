import { expect, test } from 'vitest';
import { maskForm } from './maskForm.ts';

test.each([
  ['Doe^Jane', 'Xxx^Xxxx'],
  ['20240131', '99999999'],
  ['MRN-48213 (a)', 'XXX-99999 (x)'],
  ['Müller=山田', 'Xxxxxx=xx'],
  ['', ''],
])('the form of %j is %j', (text, form) => {
  expect(maskForm(text)).toBe(form);
});
