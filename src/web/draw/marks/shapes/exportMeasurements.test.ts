import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../../test/support/createFileRecord.ts';
import { createPage } from '../../../kit/state/page.ts';
import { formatCsv, formatText } from './exportMeasurements.ts';
import { type Measurement, NO_WORDS } from './measurement.ts';

const RECTANGLE: Measurement = {
  uid: '2.25.1',
  kind: 'box',
  fileIndex: 0,
  frame: 2,
  place: { type: 'frame' },
  points: [
    { x: 1, y: 2 },
    { x: 4, y: 6.00049 },
  ],
  words: NO_WORDS,
  scale: { spacingMm: [0.5, 2], source: 'imager', aspect: 0.25, regions: [] },
  values: {
    kind: 'numbers',
    statistics: { count: 12, mean: -3.25, sd: 1.5, min: -7, max: 2, paddingCount: 1, unmappedCount: 0 },
    unit: 'HU',
    origin: 'Rescale: stored value − 1024',
  },
};
const LENGTH: Measurement = {
  ...RECTANGLE,
  uid: '2.25.2',
  kind: 'length',
  points: [
    { x: 0, y: 0 },
    { x: 3, y: 16 },
  ],
  values: undefined,
};

test('each measurement is a row with its numbers, their units and what they rest on', () => {
  const file = createFileRecord(0, { path: '/a, b.dcm', sop_instance_uid: '1.2.3' });

  const rows: Record<string, string>[] = parse(
    formatCsv([
      { item: RECTANGLE, file },
      { item: LENGTH, file },
    ]),
    { columns: true },
  );

  expect(rows[0]).toMatchObject({
    file_path: '/a, b.dcm',
    sop_instance_uid: '1.2.3',
    frame_number: '3',
    kind: 'box',
    points_xy: '1 2; 4 6',
    length: '',
    // 3 columns of 2 mm by 4.00049 rows of 0.5 mm.
    area: '12.00147',
    size_unit: 'mm²',
    spacing_source: 'Imager Pixel Spacing, at the detector',
    mean: '-3.25',
    sd_population: '1.5',
    min: '-7',
    max: '2',
    pixel_count: '12',
    padding_count: '1',
    value_unit: 'HU',
    value_origin: 'Rescale: stored value − 1024',
  });
  // 3 columns of 2 mm and 16 rows of 0.5 mm: 6 and 8 mm.
  expect(rows[1]).toMatchObject({ kind: 'length', length: '10', size_unit: 'mm', mean: '', value_unit: '' });
});

test('a name that a spreadsheet would run as a formula is written as text, a negative number as it is', () => {
  const paths = ['=1+1.dcm', '+1.dcm', '-1.dcm', '@SUM(A1).dcm', '=HYPERLINK("http://x").dcm'];

  const rows: Record<string, string>[] = parse(
    formatCsv(paths.map((path) => ({ item: RECTANGLE, file: createFileRecord(0, { path }) }))),
    { columns: true },
  );

  expect(rows.map((row) => row['file_path'])).toEqual(paths.map((path) => `'${path}`));
  expect(rows[0]?.['mean']).toBe('-3.25');
});

test('as text each measurement is a line', () => {
  const file = createFileRecord(0, {
    series_number: '4',
    series_description: 'Thorax',
    instance_number: '7',
    frame_count: 5,
  });

  expect(
    formatText(createPage(), [
      { item: RECTANGLE, file },
      { item: LENGTH, file },
    ]),
  ).toBe(
    'Box: Mean -3.25 HU  SD 1.5; Min -7  Max 2  12 px; 1 px of padding excluded; Area 12 mm² at detector (#4 Thorax, image 7, frame 3)\n' +
      'Length: 10 mm at detector (#4 Thorax, image 7, frame 3)\n',
  );
});

test('two axes have both lengths, and an arrow has its text', () => {
  const file = createFileRecord(0, { path: '/a.dcm' });
  const scale = { spacingMm: [0.5, 2], source: 'pixel_spacing', aspect: 0.25, regions: [] } as const;
  const axes: Measurement = {
    ...LENGTH,
    kind: 'bidirectional',
    // 10 columns of 2 mm, and 16 rows of 0.5 mm.
    points: [
      { x: 0, y: 10 },
      { x: 10, y: 10 },
      { x: 5, y: 2 },
      { x: 5, y: 18 },
    ],
    scale,
  };
  const words = { label: 'left', class: 'n', text: 'Fracture', comment: '', author: '', locked: false };
  const arrow: Measurement = { ...LENGTH, kind: 'arrow', scale, words };

  const measured = [axes, arrow].map((item) => ({ item, file }));
  const rows: Record<string, string>[] = parse(formatCsv(measured), { columns: true });
  expect(rows[0]).toMatchObject({ kind: 'bidirectional', length: '20', short_axis: '8', size_unit: 'mm' });
  expect(rows[1]).toMatchObject({ kind: 'arrow', length: '', class: 'n', label: 'left', text: 'Fracture' });
  expect(formatText(createPage(), measured)).toMatch(/^Two axes: Long 20 mm; Short 8 mm \(.*\)\nArrow: Fracture \(/);
});
