import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TABLE_LEVELS } from '../../../shared/tableLevel.ts';
import { type CohortQuery, FIRST_COLUMNS, NONE_SELECTED } from './cohortQuery.ts';
import { formatCohortQuery, parseCohortQuery } from './queryText.ts';

const name = fc.string({ minLength: 1, maxLength: 20 });
const key = fc.record({ column: name, isDescending: fc.boolean() });
const ids = fc.uniqueArray(name, { maxLength: 5 });
const query: fc.Arbitrary<CohortQuery> = fc
  .record({
    mode: fc.constantFrom('table' as const, 'gallery' as const, 'audits' as const),
    level: fc.constantFrom(...TABLE_LEVELS),
    where: fc.string(),
    columns: fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
    width: fc.option(fc.integer({ min: 48, max: 1_200 }), { nil: undefined }),
    sort: fc.array(key, { maxLength: 3 }),
    group: fc.option(name, { nil: undefined }),
    isAllBut: fc.boolean(),
    ids,
    at: fc.record({ row: fc.nat(2_000_000), top: fc.nat(2_000_000) }),
  })
  .map(({ width, isAllBut, ids: chosen, ...rest }) => ({
    ...rest,
    widths: new Map(width === undefined ? [] : [[rest.columns[0]!, width]]),
    selected: { isAllBut, ids: new Set(chosen) },
  }));

test('a query is the same after it was in the address, whatever its names contain', () => {
  fc.assert(
    fc.property(query, (one) => {
      const text = formatCohortQuery(one);
      expect(parseCohortQuery(text)).toEqual(one);
      // What separates the parts of the address of the page.
      expect(text).not.toMatch(/[&#\s]/);
    }),
  );
});

test('a query that nobody has changed is short', () => {
  const first = parseCohortQuery('');
  expect(first).toMatchObject({ mode: 'table', level: 'series', where: '', columns: FIRST_COLUMNS.series, sort: [] });
  expect(formatCohortQuery(first)).toBe('table.series');
  expect(parseCohortQuery('gallery.study').columns).toEqual(FIRST_COLUMNS.study);
});

test('what a link says wrongly is as at first', () => {
  const damaged = parseCohortQuery('table.room;at=-1_x;selected=;columns=;sort=,;where=%E0%A4%A;nothing');
  expect(damaged).toEqual({ ...parseCohortQuery(''), where: '%E0%A4%A' });
});

test('a selection of many rows is not in the address', () => {
  const selected = { isAllBut: false, ids: new Set(Array.from({ length: 51 }, (_, n) => String(n))) };
  expect(parseCohortQuery(formatCohortQuery({ ...parseCohortQuery(''), selected })).selected).toEqual(NONE_SELECTED);
});
