import { assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { matchesValues } from './attributeMatch.ts';

// The kinds of matching of PS3.4 C.2.2.2.
test.each([
  ['LO', 'Head', ['Head'], true],
  ['LO', 'head', ['Head'], false],
  ['LO', 'He*d', ['Head'], true],
  ['LO', 'H?ad', ['Head'], true],
  ['LO', 'H?ad', ['Had'], false],
  ['LO', '*', [], true],
  ['LO', '', [], true],
  ['LO', '*a*b*', ['xaxxbx'], true],
  ['LO', '*a*b*', ['xbxxax'], false],
  ['LO', 'B', ['A', 'B'], true],
  ['PN', 'doe^jane', ['Doe^Jane'], true],
  ['PN', 'DOE*', ['Doe^Jane=X^Y'], true],
  ['PN', 'x^y', ['Doe^Jane=X^Y'], true],
  ['PN', 'doe^jane', ['Doe^Jane^^^'], true],
  ['PN', 'doe', ['Doe^Jane'], false],
  ['UI', '1.2', ['1.2'], true],
  ['UI', '1.*', ['1.2'], false],
  ['DA', '20240131', ['20240131'], true],
  ['DA', '20240131', ['2024.01.31'], true],
  ['DA', '20240101-20240131', ['20240131'], true],
  ['DA', '20240101-20240130', ['20240131'], false],
  ['DA', '20240201-', ['20240131'], false],
  ['DA', '-20240131', ['20240131'], true],
  ['DA', '-20240131', [], false],
  ['TM', '10', ['103000'], true],
  ['TM', '1000-1030', ['103059.5'], true],
  ['TM', '1000-1029', ['103000'], false],
  ['TM', '103000', ['1030'], true],
  ['IS', '7', ['007'], true],
  ['IS', 'x', ['007'], false],
  ['DS', '1.50', ['1.5'], true],
])('%s %s in %j: %s', (vr, wanted, texts, expected) => {
  expect(matchesValues(texts, { path: [0x00091001], vr, values: [wanted] })).toBe(expected);
});

test('one of several values is enough', () => {
  expect(matchesValues(['MR'], { path: [0x00080060], vr: 'CS', values: ['CT', 'MR'] })).toBe(true);
  expect(matchesValues(['US'], { path: [0x00080060], vr: 'CS', values: ['CT', 'MR'] })).toBe(false);
});

test('wildcards match as a regular expression does', () => {
  const letters = string({ unit: constantFrom('a', 'b', '*', '?'), maxLength: 8 });
  const texts = string({ unit: constantFrom('a', 'b'), minLength: 1, maxLength: 8 });
  assert(
    property(letters, texts, (pattern, text) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
      const isWanted = pattern === '' || expression.test(text);
      expect(matchesValues([text], { path: [0x00091001], vr: 'LO', values: [pattern] })).toBe(isWanted);
    }),
  );
});

test('a pattern of many stars takes no more than a moment', () => {
  const pattern = '*a'.repeat(1000);
  expect(matchesValues(['b'.repeat(10_000)], { path: [0x00091001], vr: 'LO', values: [pattern] })).toBe(false);
});
