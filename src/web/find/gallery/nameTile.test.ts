import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import { nameTile } from './nameTile.ts';

test('a tile says which column a number, yes or no is of, and a text says it by itself', () => {
  const names = ['PatientID', 'Rows', 'RepetitionTime', 'marks'];
  const cells = ['P7', 512, { distinct: 3, min: 10, max: 30, is_missing: false }, 2];
  const row = { id: 'a', file: 0, series: null, study: null, files: 12, cells };

  const [, ...details] = nameTile('series', row, names, createFileRecord(0));

  // The marks are a badge.
  expect(details).toEqual(['P7 · Rows 512', '12 files · RepetitionTime 10 to 30, 3 values']);
});

test('a file without a series has a row of its own, and is named', () => {
  const row = { id: 'a', file: 0, series: null, study: null, files: 1, cells: [] };
  const file = createFileRecord(0, { path: '/data/palettes/fall.dcm' });
  expect(nameTile('series', row, [], file)).toEqual(['fall.dcm', '1 file']);
});
