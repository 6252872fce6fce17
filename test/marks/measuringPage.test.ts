import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { measuringTables, parseTable, placeOfTable } from './measuringTables.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/measuring.md', import.meta.url)), 'utf8');

test.for(Object.entries(measuringTables()))(
  'the table of %s in docs/measuring.md is what the code says',
  ([name, table]) => {
    expect(parseTable(placeOfTable(name).exec(page)?.[0] ?? '')).toEqual(table);
  },
);
