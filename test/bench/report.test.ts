import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { replaceSection, toMarkdown } from '../../bench/support/report.ts';

test('a table has the columns of all its rows, padded as the formatter pads them', () => {
  const rows = new Map([
    ['CT', { negato: '3 ms', mark: '6' }],
    ['mammogram', { negato: '84 ms', peer: 'absent' }],
  ]);

  expect(toMarkdown('Frames', rows).split('\n')).toEqual([
    '| Frames    | negato | mark | peer   |',
    '| --------- | ------ | ---- | ------ |',
    '| CT        | 3 ms   | 6    |        |',
    '| mammogram | 84 ms  |      | absent |',
  ]);
});

test('figures replace those of the same benchmark, and nothing else', () => {
  const text = '# a\n<!-- figures of a -->\nold\n<!-- end of a -->\n# b\n<!-- figures of b -->\n1\n<!-- end of b -->\n';

  const written = replaceSection(text, 'a', 'new');

  expect(written).toBe(text.replace('\nold\n', '\n\nnew\n\n'));
  expect(() => replaceSection(text, 'c', 'new')).toThrow('no place for the figures of c');
});

test('the README has a place for the figures of every benchmark', () => {
  const bench = new URL('../../bench/', import.meta.url);
  const readme = readFileSync(new URL('README.md', bench), 'utf8');
  const names = readdirSync(bench)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => basename(file, '.ts'));

  for (const name of names) expect(replaceSection(readme, name, '')).toContain(`npm run bench -- ${name}`);
});
