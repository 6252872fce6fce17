import { describe, expect, test } from 'vitest';
import { hungSeries } from '../../../test/support/hungSeries.ts';
import { BUILT_IN_RULES } from './builtInRules.ts';
import type { HangingCell, HangingRule, HungSeries } from './hangingRule.ts';
import { planHanging } from './planHanging.ts';

const CELL: HangingCell = {
  role: 'CT',
  series: "Modality = 'CT'",
  view: 'images',
  window: 'file',
  layers: [],
  optional: false,
};
const RULE: HangingRule = {
  name: 'Mine',
  when: [],
  unless: [],
  layout: { rows: 1, columns: 2 },
  cells: [CELL],
  links: [],
};

/** What each cell shows: the series, its view if it is not the images, and its layers. */
function show(rules: readonly HangingRule[], ...study: readonly HungSeries[]) {
  const plan = planHanging(rules, study);
  const cells = plan?.cells.map((cell) => {
    if (cell === undefined) return '';
    const view = cell.view === 'images' ? '' : ` ${cell.view}`;
    return [cell.series.id + view, ...cell.layers.map(({ id }) => id)].join(' + ');
  });
  return { rule: plan?.rule, layout: `${plan?.layout.rows}x${plan?.layout.columns}`, cells, notes: plan?.notes };
}

const hang = (...study: readonly HungSeries[]) => show(BUILT_IN_RULES, ...study);

const mr = (id: string, Weighting: string, Plane: string) => hungSeries(id, { Modality: 'MR', Weighting, Plane });
const slide = (id: string) => hungSeries(id, { Modality: 'SM', Plane: null });
const mammogram = (ImageLaterality: string, ViewPosition: string, rowsTo: string) =>
  hungSeries(`${ImageLaterality} ${ViewPosition}`, { Modality: 'MG', ImageLaterality, ViewPosition }, { rowsTo });

const ct = hungSeries('ct');
const scout = hungSeries('scout', { Images: 2, Plane: 'coronal' });
const pet = hungSeries('pet', { Modality: 'PT', Images: 80 });

test('the first rule that fits is used', () => {
  const rules = [
    { ...RULE, name: 'PET', when: ["Modality = 'PT'"] },
    { ...RULE, name: 'CT', when: ["Modality = 'CT'"] },
    { ...RULE, name: 'Any' },
  ];
  expect(show(rules, ct)).toEqual({ rule: 'CT', layout: '1x1', cells: ['ct'], notes: [] });
});

test('a rule is left out without a word if the study has a series that it does not want', () => {
  expect(show([{ ...RULE, unless: ["Modality = 'PT'"] }], ct, pet)).toMatchObject({ rule: undefined, notes: [] });
});

test('a rule that does not fit says what is missing, and one cell shows the first images', () => {
  const rule = { ...RULE, cells: [CELL, { ...CELL, role: 'the PET', series: "Modality = 'PT'" }] };
  expect(show([rule], scout, ct)).toEqual({
    rule: undefined,
    layout: '1x1',
    cells: ['scout'],
    notes: ['The rule "Mine" does not fit: there is no series for "the PET".'],
  });
});

test('columns and rows in which nothing is shown are left out, and other cells stay empty', () => {
  const cells = [CELL, { ...CELL, series: "Modality = 'PT'", optional: true }];
  expect(show([{ ...RULE, cells }], ct)).toMatchObject({ layout: '1x1', cells: ['ct'] });
  const square = { ...RULE, layout: { rows: 2, columns: 2 }, cells: [...cells, CELL, CELL] };
  const others = [ct, scout, hungSeries('third')];
  expect(show([square], ...others)).toMatchObject({ layout: '2x2', cells: ['ct', '', 'scout', 'third'] });
});

test('a series is shown once, unless in another view', () => {
  const cells = [CELL, { ...CELL, view: 'coronal' as const }];
  expect(show([{ ...RULE, cells }], ct)).toMatchObject({ cells: ['ct', 'ct coronal'] });
  expect(show([{ ...RULE, cells: [CELL, CELL] }], ct, scout)).toMatchObject({ cells: ['ct', 'scout'] });
});

test('of several series the preferred one is shown, then the largest, then the first', () => {
  const soft = hungSeries('soft', { SeriesDescription: 'Soft', Images: 50 });
  const cellsOf = (more: Partial<HangingCell>) =>
    show([{ ...RULE, cells: [{ ...CELL, ...more }] }], scout, soft, ct).cells;
  expect(cellsOf({})).toEqual(['scout']);
  expect(cellsOf({ largest: true })).toEqual(['ct']);
  expect(cellsOf({ largest: true, prefer: "SeriesDescription = 'Soft'" })).toEqual(['soft']);
});

test('layers lie over a series of their own frame of reference', () => {
  const other = hungSeries('other', { Images: 500 }, { frameOfReferenceUid: '9.9' });
  const cells = [{ ...CELL, largest: true, layers: ["Modality = 'PT'"] }];
  expect(show([{ ...RULE, cells }], other, ct, pet)).toMatchObject({ cells: ['ct + pet'] });
});

test('cells are repeated in one row for each value that the study has', () => {
  const rule: HangingRule = {
    ...RULE,
    layout: { rows: 3, columns: 2 },
    rows: { by: 'Weighting', of: ['T1', 'T2', 'FLAIR'] },
    cells: [
      { ...CELL, series: "Plane = 'axial'", optional: true },
      { ...CELL, series: "Plane = 'sagittal'", optional: true },
    ],
  };
  const study = [mr('flair', 'FLAIR', 'axial'), mr('t1', 'T1', 'sagittal'), mr('t1 ax', 'T1', 'axial')];
  expect(show([rule], ...study)).toMatchObject({ layout: '2x2', cells: ['t1 ax', 't1', 'flair', ''] });
  const axial = [mr('1', 'T1', 'axial'), mr('2', 'T2', 'axial'), mr('3', 'FLAIR', 'axial')];
  expect(show([rule], ...axial)).toMatchObject({ layout: '2x2', cells: ['1', '2', '3'] });
});

describe('without a rule of the user', () => {
  test('a CT is shown in planes of its largest series, with a MIP', () => {
    expect(hang(scout, ct)).toMatchObject({
      rule: 'CT',
      layout: '2x2',
      cells: ['ct axial', 'ct coronal', 'ct sagittal', 'ct mip'],
    });
  });

  test('a few images are shown in one cell', () => {
    expect(hang(scout)).toMatchObject({ rule: undefined, layout: '1x1', cells: ['scout'] });
  });

  test('a PET lies over the CT of its own frame of reference, beside its MIP; the corrected one is preferred', () => {
    const raw = hungSeries('raw', { Modality: 'PT', SeriesDescription: 'WB NAC', Images: 80 });
    const diagnostic = hungSeries('diagnostic', { Images: 400 }, { frameOfReferenceUid: '9.9' });
    expect(hang(diagnostic, ct, raw, pet)).toMatchObject({
      rule: 'PET/CT',
      layout: '2x2',
      cells: ['ct axial + pet', 'ct coronal + pet', 'ct sagittal + pet', 'pet mip'],
    });
  });

  test('structures and dose lie over the planning CT, beside the plan', () => {
    const structures = hungSeries('rs', { Modality: 'RTSTRUCT', Images: 0 });
    const dose = hungSeries('rd', { Modality: 'RTDOSE', Images: 60 });
    const plan = hungSeries('rp', { Modality: 'RTPLAN', Images: 0 });
    expect(hang(ct, structures, dose, plan)).toMatchObject({
      rule: 'Radiotherapy with a plan',
      cells: ['ct axial + rd + rs', 'ct coronal + rd + rs', 'ct sagittal + rd + rs', 'rp'],
    });
  });

  test('without a plan, a MIP stands beside the planes of the planning CT', () => {
    expect(hang(ct, hungSeries('rs', { Modality: 'RTSTRUCT', Images: 0 }))).toMatchObject({
      rule: 'Radiotherapy',
      cells: ['ct axial + rs', 'ct coronal + rs', 'ct sagittal + rs', 'ct mip'],
    });
  });

  test('a slide does not decide how a study with a large volume is shown', () => {
    expect(hang(hungSeries('he', { Modality: 'SM' }), ct)).toMatchObject({ rule: 'CT' });
  });

  test('a segmentation is opened over its images', () => {
    expect(hang(ct, hungSeries('seg', { Modality: 'SEG' }))).toMatchObject({ rule: 'Segmentation', cells: ['seg'] });
  });

  test('the breasts lie with their chest walls in the middle', () => {
    const study = [
      mammogram('L', 'MLO', 'A'),
      mammogram('L', 'CC', 'P'),
      mammogram('R', 'CC', 'P'),
      mammogram('R', 'MLO', 'A'),
    ];
    const plan = planHanging(BUILT_IN_RULES, study);
    expect(plan?.cells.map((cell) => [cell?.series.id, cell?.isMirrored])).toEqual([
      ['R CC', false],
      ['L CC', true],
      ['R MLO', true],
      ['L MLO', false],
    ]);
  });

  test('an MR has one row for each weighting', () => {
    expect(hang(mr('a', 'T2', 'axial'), mr('b', 'T1', 'axial'), mr('c', 'T1', 'sagittal'))).toMatchObject({
      rule: 'MR',
      layout: '2x2',
      cells: ['b', 'c', 'a', ''],
    });
  });

  test('a dynamic series is shown in planes with a time', () => {
    expect(hang(hungSeries('dce', { Modality: 'MR', Times: 20, Images: 400 }))).toMatchObject({
      rule: 'Images in time',
      cells: ['dce axial', 'dce coronal', 'dce sagittal', 'dce mip'],
    });
  });

  test('two slides stand side by side', () => {
    expect(hang(slide('he'), slide('ki67'))).toMatchObject({ rule: 'Slides', layout: '1x2', cells: ['he', 'ki67'] });
    expect(hang(slide('he'))).toMatchObject({ rule: 'Slides', layout: '1x1', cells: ['he'] });
  });
});
