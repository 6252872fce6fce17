import { AGREEMENT_WORDS, type AgreementName } from '../../../shared/agreementWords.ts';
import type { ComparisonResponse } from '../../../shared/contract/comparison.ts';
import type { ComparedPair } from './comparison.ts';

/** A column of the table, or what a cell of it says; undefined where the number is missing. */
export type CompareColumn = {
  readonly name: AgreementName;
  readonly title: (answer: ComparisonResponse) => string;
  readonly unit: string;
  readonly textOf: (pair: ComparedPair) => string | undefined;
  /** The smaller, the worse. */
  readonly rankOf: (pair: ComparedPair) => number;
};

export const COMPARE_COLUMNS: readonly CompareColumn[] = [
  score('dice', ({ dice }) => dice),
  score('iou', ({ iou }) => iou),
  {
    ...column('precision_recall', ''),
    textOf: ({ numbers }) => `${formatScore(numbers.precision)} / ${formatScore(numbers.recall)}`,
    rankOf: ({ numbers }) => Math.min(numbers.precision, numbers.recall),
  },
  {
    ...column('volume_ml', 'ml'),
    textOf: ({ truth, test }) => `${formatAmount(truth.volume_ml)} / ${formatAmount(test.volume_ml)}`,
    rankOf: ({ truth }) => truth.volume_ml,
  },
  {
    ...column('volume_difference_ml', 'ml'),
    textOf: ({ numbers }) => formatSigned(numbers.volume_difference_ml),
    rankOf: ({ numbers }) => -Math.abs(numbers.volume_difference_ml),
  },
  distance('hd_mm', ({ hd_mm }) => hd_mm),
  distance('hd95_mm', ({ hd95_mm }) => hd95_mm),
  distance('assd_mm', ({ assd_mm }) => assd_mm),
  {
    ...column('nsd', ''),
    title: ({ tolerance_mm }) => `NSD ${tolerance_mm} mm`,
    textOf: ({ numbers: { nsd } }) => (nsd === null ? undefined : formatScore(nsd)),
    rankOf: ({ numbers: { nsd } }) => nsd ?? -1,
  },
  {
    ...column('components', ''),
    title: () => 'Found, missed, false',
    textOf: ({ numbers: { components } }) =>
      components === null
        ? undefined
        : `${components.found} of ${components.truth}, ${components.missed}, ${components.false}`,
    rankOf: ({ numbers: { components } }) => (components === null ? 0 : -components.missed - components.false),
  },
];

function column(name: AgreementName, unit: string) {
  return { name, unit, title: () => AGREEMENT_WORDS[name].title };
}

type Numbers = ComparedPair['numbers'];

function score(name: AgreementName, of: (numbers: Numbers) => number): CompareColumn {
  return {
    ...column(name, ''),
    textOf: ({ numbers }) => formatScore(of(numbers)),
    rankOf: ({ numbers }) => of(numbers),
  };
}

function distance(name: AgreementName, of: (numbers: Numbers) => number | null): CompareColumn {
  return {
    ...column(name, 'mm'),
    textOf({ numbers }) {
      const mm = of(numbers);
      return mm === null ? undefined : formatAmount(mm);
    },
    // A distance from nothing is worse than any other.
    rankOf: ({ numbers }) => -(of(numbers) ?? Infinity),
  };
}

/** Three decimals; only what is exactly 1 is written as 1. */
function formatScore(value: number): string {
  return (value < 1 ? Math.min(value, 0.999) : value).toFixed(3);
}

function formatAmount(value: number): string {
  return value !== 0 && Math.abs(value) < 0.01 ? value.toPrecision(2) : value.toFixed(2);
}

function formatSigned(value: number): string {
  return value > 0 ? `+${formatAmount(value)}` : formatAmount(value).replace('-', '−');
}

/** Why a number is missing. */
export function explainMissing(
  { truth, test, errors }: ComparedPair,
  { name }: Pick<CompareColumn, 'name'>,
  isLoading: boolean,
): string {
  if (isLoading) return 'being measured';
  if (truth.samples === 0 && test.samples === 0) return 'both are empty, so there is no surface';
  if (truth.samples === 0) return 'the truth is empty, so there is nothing to be distant from';
  if (test.samples === 0) return 'the test is empty, so there is nothing to be distant from';
  if (name === 'components') return 'there are too many pieces to be counted';
  return errors === null ? 'it was not measured' : 'slices are not straight above each other';
}

/** All numbers, separated by tabs, with the names of the API. */
export function formatComparison({ pairs }: ComparisonResponse): string {
  const lines = pairs.map(({ truth, test, numbers: { components, ...numbers } }) => ({
    truth: truth.name,
    test: test.name,
    truth_ml: truth.volume_ml,
    test_ml: test.volume_ml,
    ...numbers,
    components_truth: components?.truth ?? null,
    components_found: components?.found ?? null,
    components_missed: components?.missed ?? null,
    components_false: components?.false ?? null,
  }));
  const [first] = lines;
  if (first === undefined) return '';
  return [Object.keys(first), ...lines.map((line) => Object.values(line))].map(toTabs).join('\n');
}

function toTabs(values: readonly (string | number | null | undefined)[]): string {
  return values.map((value) => String(value ?? '').replaceAll(/[\t\r\n]+/g, ' ')).join('\t');
}
