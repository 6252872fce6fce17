import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseWhere } from '../../../shared/whereClause.ts';
import { type StoredRange, mayHold } from './mayHold.ts';

type Row = { readonly name: string | null; readonly number: number | null };

/** What a Parquet file says of a group: texts are in the order of their bytes. */
function describe(rows: readonly Row[], column: keyof Row): StoredRange {
  const values = rows.flatMap((row) => row[column] ?? []);
  const sorted = values.toSorted((a, b) =>
    typeof a === 'number' ? a - Number(b) : Buffer.compare(Buffer.from(a), Buffer.from(String(b))),
  );
  return { rows: rows.length, absent: rows.length - values.length, smallest: sorted[0], largest: sorted.at(-1) };
}

function ask(where: string, rows: readonly Row[]) {
  const parsed = parseWhere(where, ['name', 'number']);
  if (!parsed.ok) throw new Error(parsed.message);
  const ranges = { name: describe(rows, 'name'), number: describe(rows, 'number') };
  const rangeOf = (column: string) => (column === 'name' || column === 'number' ? ranges[column] : undefined);
  return { mayHold: mayHold(parsed.where.node, rangeOf), holds: rows.some((row) => parsed.where.test(row) === true) };
}

// Beside and between surrogates, whose order by bytes is another than by UTF-16 units.
const text = fc.constantFrom('', 'A', 'B', 'Bb', 'é', '\u{ff5e}', '\u{1f600}', 'A\u{1f600}');
const number = fc.integer({ min: -2, max: 2 });
const quoted = text.map((value) => `'${value}'`);
const value = fc.oneof(quoted, number.map(String));
const column = fc.constantFrom('name', 'number');
const negation = fc.constantFrom('', 'NOT ');
const comparison = fc.oneof(
  fc.tuple(column, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), value).map((words) => words.join(' ')),
  fc.tuple(column, negation, value, value).map(([of, not, low, high]) => `${of} ${not}BETWEEN ${low} AND ${high}`),
  fc
    .tuple(column, negation, fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([of, not, values]) => `${of} ${not}IN (${values.join(', ')})`),
  fc.tuple(column, negation).map(([of, not]) => `${of} IS ${not}NULL`),
  fc.tuple(column, negation, quoted).map(([of, not, pattern]) => `${of} ${not}LIKE ${pattern}`),
  fc.constant('name < number'),
);
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small' },
    comparison,
    tie('condition').map((one) => `NOT (${one})`),
    fc
      .tuple(tie('condition'), fc.constantFrom('AND', 'OR'), tie('condition'))
      .map(([a, joint, b]) => `(${a}) ${joint} (${b})`),
  ),
}));
const row = fc.record({ name: fc.option(text), number: fc.option(number) });

test('no group is left out that has a row which meets the condition', () => {
  fc.assert(
    fc.property(condition, fc.array(row, { minLength: 1, maxLength: 5 }), (where, rows) => {
      const asked = ask(where, rows);
      expect(asked.mayHold || !asked.holds).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

const ROWS: readonly Row[] = [
  { name: 'B', number: 3 },
  { name: 'D', number: null },
  { name: 'C', number: 5 },
];

test.each([
  ["name = 'A'", false],
  ["name = 'C'", true],
  ["name < 'B'", false],
  ["name > 'D'", false],
  ["name >= 'D'", true],
  ["not name >= 'B'", false],
  ["name in ('A', 'E')", false],
  ["name in ('A', 'C')", true],
  ['number between 6 and 9', false],
  ['number not between 3 and 5', false],
  ['number <> 4', true],
  ['name is null', false],
  ['number is null', true],
  ["name = 'C' and number > 5", false],
  ["name = 'A' or number > 4", true],
  // Nothing is known of what a comparison of two columns or a pattern chooses.
  ['name < number', true],
  ["name like 'Z%'", true],
])('of a group with names from B to D and numbers from 3 to 5, %s may choose rows: %s', (where, expected) => {
  expect(ask(where, ROWS).mayHold).toBe(expected);
});
