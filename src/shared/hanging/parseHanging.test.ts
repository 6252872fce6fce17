import { expect, test } from 'vitest';
import { parseHanging } from './parseHanging.ts';
import { writeHangingRule } from './writeHangingRule.ts';

const CELL = { series: "Modality = 'CT'" };
const RULE = { name: 'Chest', layout: '1x2', cells: [CELL] };

function parse(...rules: unknown[]) {
  return parseHanging(JSON.stringify({ rules }));
}

test('a rule has a name, a layout and cells, and everything else is as usual', () => {
  expect(parse(RULE)).toEqual({
    ok: true,
    rules: [
      {
        name: 'Chest',
        when: [],
        unless: [],
        layout: { rows: 1, columns: 2 },
        cells: [
          {
            role: "Modality = 'CT'",
            series: "Modality = 'CT'",
            view: 'images',
            window: 'file',
            layers: [],
            optional: false,
          },
        ],
        links: [],
      },
    ],
  });
});

test('a window is named like the keys for CT, whatever the case, or given in numbers', () => {
  const cells = [
    { ...CELL, window: 'LUNG' },
    { ...CELL, window: { center: 10, width: 20 } },
  ];
  const parsed = parse({ ...RULE, cells });
  expect(parsed.ok && parsed.rules[0]?.cells.map(({ window }) => window)).toEqual([
    { center: -600, width: 1500 },
    { center: 10, width: 20 },
  ]);
});

test('a rule is the same after it was written', () => {
  const rule = {
    ...RULE,
    when: ["Modality = 'CT'", 'Images > 20'],
    unless: ["Modality = 'PT'"],
    layout: '2x2',
    rows: { by: 'Weighting', of: ['T1', 'T2'] },
    cells: [{ ...CELL, role: 'CT', largest: true, prefer: 'Rows = 512', view: 'mip', layers: ["Modality = 'PT'"] }],
    links: ['scroll', 'zoom'],
  };
  const first = parse(rule);
  if (!first.ok) throw new Error(first.message);
  expect(parse(...first.rules.map(writeHangingRule))).toEqual(first);
});

test.each([
  ['{"rules": [', 'this is no JSON: '],
  ['[]', 'an object is expected'],
  ['{"rule": []}', 'rule: there is no such field; there are rules'],
  ['{}', 'rules: a list is expected'],
])('the file %s is refused: %s', (text, problem) => {
  const parsed = parseHanging(text);
  expect(parsed.ok ? '' : parsed.message).toContain(problem);
});

test.each([
  [{ ...RULE, colour: 1 }, 'rules[1].colour: there is no such field; there are name, when, unless, layout'],
  [{ ...RULE, name: '' }, 'rules[1].name: a text of 1 to 200 characters is expected'],
  [{ ...RULE, layout: '5x1' }, 'rules[1].layout: rows x columns are expected, from "1x1" to "4x4"'],
  [{ ...RULE, cells: [] }, 'rules[1].cells: at least one cell is expected'],
  [{ ...RULE, cells: [CELL, CELL, CELL] }, 'rules[1].cells: more than 2'],
  [{ ...RULE, links: ['pan'] }, 'rules[1].links[0]: "pan" is none of scroll, window, zoom, layers'],
  [{ ...RULE, when: ["Modalty = 'CT'"] }, 'rules[1].when[0]: there is no column Modalty; there are Modality, '],
  [{ ...RULE, when: 'Modality =' }, 'rules[1].when: a column or a value is missing'],
  [{ ...RULE, cells: [CELL, { view: 'mip' }] }, 'rules[1].cells[1].series: a condition is expected'],
  [{ ...RULE, cells: [{ ...CELL, view: 'oblique' }] }, 'rules[1].cells[0].view: "oblique" is none of images, axial'],
  [{ ...RULE, cells: [{ ...CELL, window: 'skin' }] }, 'rules[1].cells[0].window: there is no window "skin"; there are'],
  [
    { ...RULE, cells: [{ ...CELL, window: { center: 1, width: 0 } }] },
    'rules[1].cells[0].window.width: a number above 0',
  ],
  [{ ...RULE, cells: [{ ...CELL, optional: 'no' }] }, 'rules[1].cells[0].optional: true or false is expected'],
  [{ ...RULE, rows: { by: 'Size', of: [] } }, 'rules[1].rows.by: "Size" is none of Modality, '],
])('a message says where a rule is wrong: %j', (rule, problem) => {
  const parsed = parse(RULE, rule);
  expect(parsed.ok ? '' : parsed.message).toContain(problem);
});
