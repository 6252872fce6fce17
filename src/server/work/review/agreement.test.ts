import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type AgreementWeights, countPairs, type Kappa, measureKappa } from './agreement.ts';

type Answer = string | number;

/** By cohen_kappa_score of scikit-learn, and the interval by statsmodels (test/review/makeKappa.py). */
const RECORDED: readonly ({
  readonly categories: readonly Answer[];
  readonly pairs: readonly (readonly [Answer, Answer])[];
} & Readonly<Record<AgreementWeights, Kappa | null>>)[] = JSON.parse(
  readFileSync(new URL('../../../../test/review/kappa.json', import.meta.url), 'utf8'),
);

test.each(RECORDED.map((one, n) => [n, one.pairs.length, one] as const))(
  "kappa of recorded pairs %i (%i of them) is scikit-learn's, and its interval that of statsmodels",
  (_, __, { categories, pairs, ...recorded }) => {
    const { counts } = countPairs(pairs, categories);
    const measured = (['none', 'linear', 'quadratic'] as const).map((weights) => {
      const [kappa, expected] = [measureKappa(counts, weights), recorded[weights]];
      if (kappa === undefined || expected === null) return (kappa ?? null) === expected ? 0 : Infinity;
      return Math.max(...(['value', 'low', 'high'] as const).map((name) => Math.abs(kappa[name] - expected[name])));
    });
    expect(Math.max(...measured)).toBeLessThanOrEqual(1e-12);
  },
);

test('without pairs there is no kappa', () => {
  expect(measureKappa(countPairs([], ['accept', 'reject']).counts, 'none')).toBeUndefined();
  expect(measureKappa([], 'none')).toBeUndefined();
});

test('pairs are counted in rows of the first reader and columns of the second', () => {
  const pairs = [
    ['accept', 'reject'],
    ['accept', 'reject'],
    ['reject', 'reject'],
  ] as const;
  expect(countPairs<string>(pairs, ['accept', 'reject']).counts).toEqual([
    [0, 2],
    [0, 1],
  ]);
});
