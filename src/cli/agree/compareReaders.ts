import { type AgreementTable, countPairs, type Kappa, measureKappa } from '../../server/work/review/agreement.ts';
import { differs } from '../../server/work/review/decisions.ts';
import { type Decision, type ReviewedUnit, type VerdictLine, isDecided } from '../../server/work/review/verdictLine.ts';

/** The last decisions of a reader, by unit. */
export type ReaderDecisions = {
  readonly reader: string;
  readonly decisions: ReadonlyMap<string, VerdictLine>;
};

export type Measured<Category> = {
  readonly table: AgreementTable<Category>;
  readonly units: number;
  readonly equal: number;
  /** Undefined if there is no kappa, as where both have always given the same answer. */
  readonly kappa: Kappa | undefined;
};

export type ScoreAgreement = Measured<number> & {
  readonly id: string;
  readonly linear: Kappa | undefined;
  readonly quadratic: Kappa | undefined;
};

export type Disagreement = { readonly unit: ReviewedUnit; readonly a: Decision; readonly b: Decision };

export type Comparison = {
  readonly readers: readonly [string, string];
  /** Units that both have decided. */
  readonly both: number;
  readonly onlyA: number;
  readonly onlyB: number;
  readonly verdicts: Measured<string>;
  readonly scores: readonly ScoreAgreement[];
  /** Units of which verdicts or scores differ. */
  readonly disagreements: readonly Disagreement[];
};

/** Longer scales have no table: it would have the square of their steps. */
const MOST_STEPS = 1_000;

export function compareReaders(first: ReaderDecisions, second: ReaderDecisions): Comparison {
  const pairs: Disagreement[] = [];
  for (const [key, { unit, decision: a }] of first.decisions) {
    const b = second.decisions.get(key)?.decision;
    if (b !== undefined && isDecided(a) && isDecided(b)) pairs.push({ unit, a, b });
  }
  const count = ({ decisions }: ReaderDecisions) =>
    [...decisions.values()].filter(({ decision }) => isDecided(decision)).length;
  const verdicts = pairs.flatMap(({ a, b }) =>
    a.verdict === null || b.verdict === null ? [] : [[a.verdict, b.verdict] as const],
  );
  const ids = new Set(pairs.flatMap(({ a, b }) => Object.keys(a.scores).filter((id) => b.scores[id] !== undefined)));
  return {
    readers: [first.reader, second.reader],
    both: pairs.length,
    onlyA: count(first) - pairs.length,
    onlyB: count(second) - pairs.length,
    verdicts: measure(verdicts, listVerdicts(verdicts)),
    scores: [...ids].toSorted().flatMap((id) => compareScore(id, pairs)),
    disagreements: pairs.filter(({ a, b }) => differs(a, b) || hasOtherScores(a, b)),
  };
}

function hasOtherScores(a: Decision, b: Decision): boolean {
  return Object.entries(a.scores).some(([id, score]) => b.scores[id] !== undefined && b.scores[id] !== score);
}

/** Whole numbers on a scale from the lowest to the highest that was given. Others are no scores of negato. */
function compareScore(id: string, pairs: readonly Disagreement[]): readonly ScoreAgreement[] {
  const scores = pairs.flatMap(({ a, b }) => {
    const [one, other] = [a.scores[id], b.scores[id]];
    return one === undefined || other === undefined ? [] : [[one, other] as const];
  });
  const [least, most] = scores
    .flat()
    .reduce(([low, high], score) => [Math.min(low, score), Math.max(high, score)], [Infinity, -Infinity] as [
      number,
      number,
    ]);
  if (!scores.flat().every(Number.isSafeInteger) || !(most - least < MOST_STEPS)) return [];
  const categories = Array.from({ length: most - least + 1 }, (_, step) => least + step);
  const measured = measure(scores, categories);
  const { counts } = measured.table;
  return [{ id, ...measured, linear: measureKappa(counts, 'linear'), quadratic: measureKappa(counts, 'quadratic') }];
}

function measure<Category>(
  pairs: readonly (readonly [Category, Category])[],
  categories: readonly Category[],
): Measured<Category> {
  const table = countPairs(pairs, categories);
  const equal = pairs.filter(([a, b]) => a === b).length;
  return { table, units: pairs.length, equal, kappa: measureKappa(table.counts, 'none') };
}

const FIRST = ['accept', 'reject', 'unsure'];

/** Those of the usual scheme in its order, and others by name. */
function listVerdicts(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const found = new Set(pairs.flat());
  const others = [...found].filter((one) => !FIRST.includes(one)).toSorted();
  return [...FIRST.filter((one) => found.has(one)), ...others];
}
