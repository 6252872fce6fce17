import { expect, test } from 'vitest';
import { parseWhere } from './whereClause.ts';

const COLUMNS = ['Modality', 'EchoTime', 'SeriesNumber', 'PatientID', 'has_pixels', 'file_bytes'];
const ROW = {
  Modality: 'MR',
  EchoTime: 0.02,
  SeriesNumber: '3',
  PatientID: "O'Neil",
  has_pixels: true,
  file_bytes: 5_000_000_000n,
};

function testOn(text: string, row: Record<string, unknown> = ROW): boolean | null {
  const parsed = parseWhere(text, COLUMNS);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.where.test(row);
}

test.each([
  ["Modality='MR' and EchoTime<0.03", true],
  ["modality = 'CT' OR echotime >= .02", true],
  ["not Modality = 'MR'", false],
  ["Modality <> 'CT' and not (EchoTime > 1)", true],
  ["Modality in ('CT', 'MR')", true],
  ["Modality not in ('CT', 'MR')", false],
  ['EchoTime between 0.01 and 0.03', true],
  ['EchoTime not between 0.01 and 0.03', false],
  ["PatientID like 'O''N%'", true],
  ["PatientID like '_''Neil'", true],
  ["PatientID like 'neil%'", false],
  // A column of texts is compared as numbers with a number.
  ['SeriesNumber = 3', true],
  ['SeriesNumber < 12', true],
  ['file_bytes > 4e9', true],
  ['has_pixels = true', true],
  ['EchoTime > -1', true],
  ['"EchoTime" is not null', true],
  // AND binds more tightly than OR.
  ["Modality='MR' or Modality='CT' and EchoTime > 1", true],
])('%s: %s', (text, expected) => {
  expect(testOn(text)).toBe(expected);
});

// As in SQL, a comparison with NULL is neither true nor false.
test.each([
  ['EchoTime < 1', null],
  ['not EchoTime < 1', null],
  ["EchoTime < 1 or Modality = 'MR'", true],
  ["EchoTime < 1 and Modality = 'CT'", false],
  ["EchoTime < 1 and Modality = 'MR'", null],
  ['EchoTime is null', true],
  ['EchoTime in (1, 2)', null],
])('without the value, %s: %s', (text, expected) => {
  expect(testOn(text, { ...ROW, EchoTime: null })).toBe(expected);
});

test.each([
  ["Modalty = 'MR'", 'there is no column Modalty'],
  ['Modality =', 'a column or a value is missing'],
  ['Modality', 'a comparison is missing at the end'],
  ["Modality = 'MR' EchoTime", '"EchoTime" is not expected'],
  ["(Modality = 'MR'", '")" is missing'],
  ["Modality = 'MR", 'not understood from " \'MR"'],
  ['Modality ; drop', 'not understood from " ; drop"'],
  ['EchoTime is 3', 'IS is followed by NULL or NOT NULL'],
  ['Modality like 3', "LIKE is followed by a 'text'"],
  [`${'('.repeat(100)}EchoTime = 1${')'.repeat(100)}`, 'nested too deeply'],
  [' '.repeat(10_001), 'longer than 10000 characters'],
  [`EchoTime in (1${',1'.repeat(1_000)})`, 'more than 1000 columns and values'],
])('%s is refused: %s', (text, message) => {
  expect(parseWhere(text, COLUMNS)).toMatchObject({ ok: false, message });
});

test('the columns that are read are named as in the index', () => {
  expect(parseWhere("MODALITY='MR' and (echotime<1 or EchoTime>2)", COLUMNS)).toMatchObject({
    ok: true,
    where: { columns: ['Modality', 'EchoTime'] },
  });
});

test.each([
  [
    "Modality='MR' and EchoTime < 0.03",
    [
      ["Modality='MR'", ['Modality']],
      ['EchoTime < 0.03', ['EchoTime']],
    ],
  ],
  ["(Modality='MR' and EchoTime<1)", [["(Modality='MR' and EchoTime<1)", ['Modality', 'EchoTime']]]],
  [
    "Modality='MR' and EchoTime<1 or EchoTime>2",
    [["Modality='MR' and EchoTime<1 or EchoTime>2", ['Modality', 'EchoTime']]],
  ],
  [
    "not Modality='MR' AND has_pixels = true",
    [
      ["not Modality='MR'", ['Modality']],
      ['has_pixels = true', ['has_pixels']],
    ],
  ],
])('the conditions of %s that must all hold can be tested alone', (text, expected) => {
  const parsed = parseWhere(text, COLUMNS);

  expect(parsed.ok && parsed.where.parts.map((part) => [part.text, part.columns])).toEqual(expected);
});

test.each([
  ["Modality = 'MR' and EchoTme < 1", 20],
  ["Modality = 'MR' EchoTime", 16],
  ['Modality = ', 10],
  ['  Modality like 3', 16],
  ["Modality = 'MR' ; drop", 15],
])('what is wrong in %j is at %i', (text, at) => {
  expect(parseWhere(text, COLUMNS)).toMatchObject({ ok: false, at });
});

test('the tree of a condition has its comparisons, each with the columns that it reads', () => {
  const parsed = parseWhere("Modality = 'MR' and not (EchoTime < 1 or SeriesNumber = EchoTime)", COLUMNS);
  expect(parsed).toMatchObject({
    ok: true,
    where: {
      node: {
        kind: 'and',
        nodes: [
          { kind: 'comparison', columns: ['Modality'] },
          {
            kind: 'not',
            node: {
              kind: 'or',
              nodes: [
                { kind: 'comparison', columns: ['EchoTime'] },
                { kind: 'comparison', columns: ['SeriesNumber', 'EchoTime'] },
              ],
            },
          },
        ],
      },
    },
  });
});

function find(name: string): string | undefined {
  return name.startsWith('0019,') ? name.toUpperCase() : undefined;
}

test('columns may be found by a function, for tables whose columns nobody can list', () => {
  const parsed = parseWhere('"0019,xx0c@A" > 3', find);
  expect(parsed.ok && parsed.where.test({ '0019,XX0C@A': 4 })).toBe(true);
  expect(parseWhere('other > 3', find)).toMatchObject({ ok: false, unknown: 'other' });
});
