import type { FileColumn, FileRow } from '../../server/images/tables/writeTableFile.ts';
import type { ComparisonResponse } from '../../shared/contract/comparison.ts';
import type { CasePairedBy } from './pairCases.ts';

/** The series that a case is about. Its study is empty if it is not known. */
export type ComparedSeries = { readonly studyInstanceUid: string; readonly seriesInstanceUid: string };

/** A case with its numbers. */
export type ComparedCase = {
  readonly name: string;
  readonly truth: string;
  readonly test: string;
  readonly pairedBy: CasePairedBy;
  /** The images that it is about; undefined if no series is known, or several. */
  readonly series: ComparedSeries | undefined;
  readonly found: ComparisonResponse;
};

const TEXTS = [
  'case',
  'StudyInstanceUID',
  'SeriesInstanceUID',
  'truth',
  'test',
  'case_paired_by',
  'part',
  'test_part',
  'part_paired_by',
] as const;
const NUMBERS = [
  'truth_ml',
  'test_ml',
  'volume_difference_ml',
  'dice',
  'iou',
  'precision',
  'recall',
  'hd_mm',
  'hd95_mm',
  'assd_mm',
  'mean_truth_to_test_mm',
  'mean_test_to_truth_mm',
  'nsd',
] as const;
const COUNTS = [
  'components_truth',
  'components_found',
  'components_missed',
  'components_test',
  'components_false',
] as const;

export const SCORE_COLUMNS: readonly FileColumn[] = [
  ...TEXTS.map((name): FileColumn => ({ name, type: 'STRING' })),
  ...NUMBERS.map((name): FileColumn => ({ name, type: 'DOUBLE' })),
  ...COUNTS.map((name): FileColumn => ({ name, type: 'INT32' })),
  { name: 'notes', type: 'STRING' },
];

/** A row for each pair of parts, and for each part without a partner, which has a volume only. */
export function* listScoreRows(cases: readonly ComparedCase[]): Generator<FileRow, undefined> {
  for (const { name, series, truth, test, pairedBy, found } of cases) {
    const about = [name, series?.studyInstanceUid || null, series?.seriesInstanceUid ?? null, truth, test, pairedBy];
    const notes = found.notes.join('; ') || null;
    const nothing = NUMBERS.slice(2).map(() => null);
    const noCounts = COUNTS.map(() => null);
    for (const pair of found.pairs) {
      const { components: counts, ...numbers } = pair.numbers;
      const measured = NUMBERS.slice(2).map((column) => Reflect.get(numbers, column) ?? null);
      const names = [...about, pair.truth.name, pair.test.name, pair.paired_by];
      yield [
        ...names,
        pair.truth.volume_ml,
        pair.test.volume_ml,
        ...measured,
        ...(counts === null ? noCounts : [counts.truth, counts.found, counts.missed, counts.test, counts.false]),
        notes,
      ];
    }
    for (const part of found.only_truth) {
      const names = [...about, part.name, null, null];
      yield [...names, part.volume_ml, null, ...nothing, ...noCounts, notes];
    }
    for (const part of found.only_test) {
      const names = [...about, null, part.name, null];
      yield [...names, null, part.volume_ml, ...nothing, ...noCounts, notes];
    }
  }
  return undefined;
}
