import { expect, test } from 'vitest';
import { type CaseFile, pairCases } from './pairCases.ts';

const file = (name: string, { series = [], place }: Partial<CaseFile> = {}): CaseFile => ({ name, series, place });

function listed(truth: readonly CaseFile[], other: readonly CaseFile[]) {
  const { pairs, ambiguous, onlyTruth, onlyTest } = pairCases({ truth, test: other });
  return {
    pairs: pairs.map((pair) => `${truth[pair.truth]!.name} ${other[pair.test]!.name} ${pair.by}`),
    ambiguous: ambiguous.map((one) => [one.truth.map((at) => truth[at]!.name), one.test.map((at) => other[at]!.name)]),
    alone: [...onlyTruth.map((at) => truth[at]!.name), ...onlyTest.map((at) => other[at]!.name)],
  };
}

test('one file of each side is a case, whatever they are called', () => {
  expect(listed([file('a.nii')], [file('b.nrrd')]).pairs).toEqual(['a.nii b.nrrd request']);
});

test('files with one name and different endings are a case; others are listed', () => {
  const truth = [file('case_001.nii.gz'), file('case_002.nii.gz'), file('case_003.nii.gz')];
  expect(listed(truth, [file('case_002.seg.nrrd'), file('case_001.npy'), file('case_009.nii')])).toEqual({
    pairs: ['case_001.nii.gz case_001.npy name', 'case_002.nii.gz case_002.seg.nrrd name'],
    ambiguous: [],
    alone: ['case_003.nii.gz', 'case_009.nii'],
  });
});

test('names of folders tell cases apart whose files have one name', () => {
  const names = ['p1/seg.nii.gz', 'p2/seg.nii.gz'];
  expect(
    listed(
      names.map((name) => file(name)),
      names.toReversed().map((name) => file(name)),
    ).pairs,
  ).toEqual(['p1/seg.nii.gz p1/seg.nii.gz name', 'p2/seg.nii.gz p2/seg.nii.gz name']);
});

test('what says that a file is the truth or a prediction is no part of the name of its case', () => {
  expect(listed([file('a_gt.nii'), file('b_gt.nii')], [file('b-pred.nii'), file('a_pred.nii')]).pairs).toEqual([
    'a_gt.nii a_pred.nii name',
    'b_gt.nii b-pred.nii name',
  ]);
});

test('objects of one series are a case, whatever they are called', () => {
  const truth = [file('x.dcm', { series: ['1.2'] }), file('y.dcm', { series: ['1.3'] })];
  expect(listed(truth, [file('y.dcm', { series: ['1.2'] }), file('x.dcm', { series: ['1.3'] })]).pairs).toEqual([
    'x.dcm y.dcm series',
    'y.dcm x.dcm series',
  ]);
});

test('of several objects of one series those with the same name are a case, and the others are refused', () => {
  const series = ['1.2'];
  const truth = [file('liver.dcm', { series }), file('a.dcm', { series }), file('b.dcm', { series })];
  const other = [file('liver.dcm', { series }), file('c.dcm', { series }), file('d.dcm', { series })];
  expect(listed(truth, other)).toEqual({
    pairs: ['liver.dcm liver.dcm name'],
    ambiguous: [
      [
        ['a.dcm', 'b.dcm'],
        ['c.dcm', 'd.dcm'],
      ],
    ],
    alone: [],
  });
});

test('files that lie in one place are a case if no others lie there', () => {
  const truth = [file('a.nii', { place: 'P' }), file('b.nii', { place: 'Q' }), file('c.nii', { place: 'Q' })];
  expect(listed(truth, [file('1.nii', { place: 'P' }), file('2.nii', { place: 'Q' })])).toEqual({
    pairs: ['a.nii 1.nii place'],
    ambiguous: [[['b.nii', 'c.nii'], ['2.nii']]],
    alone: [],
  });
});
