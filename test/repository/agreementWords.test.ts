import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AGREEMENT_WORDS } from '../../src/shared/agreementWords.ts';

test('docs/compare.md defines every number of a comparison in the words of the page', () => {
  const whole = readFileSync(new URL('../../docs/compare.md', import.meta.url), 'utf8');
  const text = whole.slice(whole.indexOf('\n## What the numbers are\n'));
  const rows = text
    .split('\n')
    .flatMap((line) => (line.startsWith('| `') ? [line.split('|').map((cell) => cell.trim())] : []));
  const defined = new Map(rows.map(([, names = '', definition = '']) => [names, definition]));
  const expected = Object.values(AGREEMENT_WORDS).map(({ names, definition }) => {
    return [names.map((name) => `\`${name}\``).join(', '), definition] as const;
  });

  expect(defined).toEqual(new Map(expected));
});
