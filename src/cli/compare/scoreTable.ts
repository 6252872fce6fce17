import type { FileColumn, FileRow } from '../../server/images/tables/writeTableFile.ts';
import type { ComparisonResponse } from '../../shared/contract/comparison.ts';
import type { CasePairedBy } from './pairCases.ts';

/** A case with its numbers. */
export type ComparedCase = {
  readonly name: string;
  readonly truth: string;
  readonly test: string;
  readonly pairedBy: CasePairedBy;
  readonly found: ComparisonResponse;
};

const TEXTS = ['case', 'truth', 'test', 'case_paired_by', 'part', 'test_part', 'part_paired_by'] as const;
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
  for (const { name, truth, test, pairedBy, found } of cases) {
    const notes = found.notes.join('; ') || null;
    const nothing = NUMBERS.slice(2).map(() => null);
    const noCounts = COUNTS.map(() => null);
    for (const pair of found.pairs) {
      const { components: counts, ...numbers } = pair.numbers;
      const measured = NUMBERS.slice(2).map((column) => Reflect.get(numbers, column) ?? null);
      const names = [name, truth, test, pairedBy, pair.truth.name, pair.test.name, pair.paired_by];
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
      const names = [name, truth, test, pairedBy, part.name, null, null];
      yield [...names, part.volume_ml, null, ...nothing, ...noCounts, notes];
    }
    for (const part of found.only_test) {
      const names = [name, truth, test, pairedBy, null, part.name, null];
      yield [...names, null, part.volume_ml, ...nothing, ...noCounts, notes];
    }
  }
  return undefined;
}
