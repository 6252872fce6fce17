import { expect, test } from 'vitest';
import type { WirePartDvh } from '../../../shared/contract/dvh.ts';
import { formatCurves, formatDose, formatOutside, formatTable, grayOfDose, parseColumns } from './dvhTable.ts';

const GRAY = grayOfDose(undefined);
const DVH: WirePartDvh = {
  part: 3,
  label: 'PTV',
  volume_cm3: 50,
  inside_dose_grid: 0.8,
  minimum: 10,
  mean: 25.5,
  maximum: 38,
  d: { d98: 11, d95: 12, d50: 25, d2: 37, d2cc: 36, d01cc: null },
  points: [],
  edges: [0, 20, 40],
  cumulative_cm3: [40, 30, 0],
  step_mm: 1,
  planes: 10,
  stored: null,
  warnings: [],
};
const EMPTY: WirePartDvh = {
  ...DVH,
  part: 4,
  volume_cm3: null,
  inside_dose_grid: null,
  minimum: null,
  mean: null,
  maximum: null,
  d: { d98: null, d95: null, d50: null, d2: null, d2cc: null, d01cc: null },
  edges: [],
  cumulative_cm3: [],
};

test('a table has one row for each part, and what is unknown is empty; names are no formulas', () => {
  const rows = [
    { name: 'PTV, boost', dvh: DVH },
    { name: '=SUM(A1)', dvh: EMPTY },
  ];
  expect(formatTable(rows, GRAY, { columns: [], points: new Map() }).split('\r\n')).toEqual([
    'name,number,volume_cm3,minimum_gy,mean_gy,maximum_gy,d98_gy,d95_gy,d50_gy,d2_gy,d2cc_gy,d0.1cc_gy,outside_dose_grid',
    '"PTV, boost",3,50,10,25.5,38,11,12,25,37,36,,0.2',
    "'=SUM(A1),4,,,,,,,,,,,",
    '',
  ]);
});

test('curves have one row for each dose', () => {
  const rows = [
    { name: 'PTV', dvh: DVH },
    { name: 'Seed', dvh: EMPTY },
    { name: 'Cord', dvh: { ...DVH, cumulative_cm3: [5, 1, 0] } },
  ];
  expect(formatCurves(rows, GRAY)).toBe('dose_gy,PTV cm3,Cord cm3\r\n0,40,5\r\n20,30,1\r\n40,0,0\r\n');
});

test('doses are written in Gray or in percent of a reference', () => {
  expect(formatDose(57.123, GRAY)).toBe('57.12');
  expect(formatDose(57, { label: '%', gy: 0.6 })).toBe('95.0');
  expect(formatDose(null, GRAY)).toBe('');
  expect([formatOutside(DVH), formatOutside(EMPTY)]).toEqual(['20.0', '']);
});

test('Gray of an effective dose are named so, also in the headers of files', () => {
  const gray = grayOfDose({ units: 'GY', type: 'EFFECTIVE', summation: 'PLAN', maximum_gy: 60 });
  expect(gray.label).toBe('Gy (effective)');
  expect(formatTable([], gray, { columns: [], points: new Map() })).toContain(',mean_gy_effective,');
  expect(formatCurves([], gray)).toBe('dose_gy_effective\r\n');
});

test('points of the curves are written as in the literature, and those of a share of the dose need one', () => {
  expect(parseColumns('d90, D0.10cc;V20 v95%', 60)).toEqual([
    { title: 'D90', name: 'D90', of: 'dose' },
    { title: 'D0.1cc', name: 'D0.1cc', of: 'dose' },
    { title: 'V20Gy', name: 'V20Gy', of: 'volume' },
    // 95 % of 60 Gy.
    { title: 'V95%', name: 'V57Gy', of: 'volume' },
  ]);
  expect(parseColumns('V95%', undefined)).toEqual({ problem: 'V95%: no plan says which dose is 100 %' });
  expect(parseColumns('D90 D101', undefined)).toEqual({ problem: 'D101: write D95, D2cc, V20Gy' });
});

test('a column of a point is in the table, and empty where it is unknown', () => {
  const columns = [
    { title: 'D90', name: 'D90', of: 'dose' },
    { title: 'V95%', name: 'V57Gy', of: 'volume' },
  ] as const;
  const points = new Map([
    [
      3,
      [
        { name: 'D90', dose: 12.5, volume_cm3: 36, volume_percent: 90 },
        { name: 'V57Gy', dose: 57, volume_cm3: 1.5, volume_percent: 3.75 },
      ],
    ],
  ]);
  const rows = [
    { name: 'PTV', dvh: DVH },
    { name: 'None', dvh: EMPTY },
  ];
  const [header, first, second] = formatTable(rows, GRAY, { columns, points }).split('\r\n');
  expect(header).toMatch(/,d90_gy,v95%_cm3,outside_dose_grid$/);
  expect(first).toMatch(/,12\.5,1\.5,0\.2$/);
  expect(second).toMatch(/,,,$/);
});
