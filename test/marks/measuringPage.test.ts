import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { measuringTables, parseTable, placeOfTable } from './measuringTables.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(fileURLToPath(new URL('docs/measuring.md', root)), 'utf8');

test.for(Object.entries(measuringTables()))(
  'the table of %s in docs/measuring.md is what the code says',
  ([name, table]) => {
    expect(parseTable(placeOfTable(name).exec(page)?.[0] ?? '')).toEqual(table);
  },
);

test('each form of image in docs/measuring.md names a test that there is', () => {
  const [, ...forms] = parseTable(placeOfTable('forms').exec(page)?.[0] ?? '');
  const tests = forms.map(
    ([, , , named = '']) => /^\[[^\]]+\]\(\.\.\/([^)]+)\): (.+)$/.exec(named)?.slice(1) ?? [named, ''],
  );
  const missing = tests.filter(([path = '', title = '']) => {
    const text = readFileSync(new URL(path, root), 'utf8');
    return title === '' || !text.includes(`'${title}'`);
  });
  expect(missing).toEqual([]);
  expect(forms.length).toBeGreaterThan(10);
});
