/** How the distance between two answers counts: all alike, or by the number of steps between them or its square. */
export type AgreementWeights = 'none' | 'linear' | 'quadratic';

/** A coefficient and the 95 % interval around it. */
export type Kappa = { readonly value: number; readonly low: number; readonly high: number };

/** Counts of pairs of answers: rows are those of the first reader, columns those of the second. */
export type AgreementTable<Category> = {
  readonly categories: readonly Category[];
  readonly counts: readonly (readonly number[])[];
};

/** The quantile of the normal distribution that leaves 2.5 % above it. */
const Z_95 = 1.959963984540054;

/** Counts pairs. Each answer must be one of the categories. */
export function countPairs<Category>(
  pairs: Iterable<readonly [Category, Category]>,
  categories: readonly Category[],
): AgreementTable<Category> {
  const places = new Map(categories.map((category, place) => [category, place]));
  const counts = categories.map(() => categories.map(() => 0));
  for (const [a, b] of pairs) counts[places.get(a)!]![places.get(b)!]! += 1;
  return { categories, counts };
}

/**
 * Cohen's kappa: 1 minus the weighted disagreement divided by the one that chance would give (Cohen 1960, 1968). The
 * interval is kappa plus and minus 1.96 standard errors of Fleiss, Cohen and Everitt (1969), for large samples, within -1
 * to 1. Undefined without pairs, and if both readers have only ever given one and the same answer.
 */
export function measureKappa(counts: readonly (readonly number[])[], weights: AgreementWeights): Kappa | undefined {
  const size = counts.length;
  const ofRows = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  const ofColumns = counts.map((_, column) => counts.reduce((sum, row) => sum + row[column]!, 0));
  const total = ofRows.reduce((sum, count) => sum + count, 0);
  let [observed, expected] = [0, 0];
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1) {
      const distance = distanceOf(i, j, weights);
      observed += distance * counts[i]![j]!;
      expected += (distance * ofRows[i]! * ofColumns[j]!) / total;
    }
  }
  if (!(expected > 0)) return undefined;
  const value = 1 - observed / expected;
  const error = standardError({ counts, ofRows, ofColumns, total, value, weights });
  return { value, low: Math.max(-1, value - Z_95 * error), high: Math.min(1, value + Z_95 * error) };
}

type Measured = {
  readonly counts: readonly (readonly number[])[];
  readonly ofRows: readonly number[];
  readonly ofColumns: readonly number[];
  readonly total: number;
  readonly value: number;
  readonly weights: AgreementWeights;
};

/** Fleiss, Cohen and Everitt (1969), equation 13: with weights of agreement, which are 1 for equal answers. */
function standardError({ counts, ofRows, ofColumns, total, value, weights }: Measured): number {
  const size = counts.length;
  const most = distanceOf(0, size - 1, weights);
  const weightOf = (i: number, j: number) => 1 - distanceOf(i, j, weights) / most;
  const meanOfRow = ofRows.map((_, i) =>
    ofColumns.reduce((sum, count, j) => sum + (count / total) * weightOf(i, j), 0),
  );
  const meanOfColumn = ofColumns.map((_, j) =>
    ofRows.reduce((sum, count, i) => sum + (count / total) * weightOf(i, j), 0),
  );
  const byChance = meanOfRow.reduce((sum, mean, i) => sum + (ofRows[i]! / total) * mean, 0);
  let squares = 0;
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1) {
      const difference = weightOf(i, j) - (meanOfRow[i]! + meanOfColumn[j]!) * (1 - value);
      squares += (counts[i]![j]! / total) * difference ** 2;
    }
  }
  const variance = (squares - (value - byChance * (1 - value)) ** 2) / (total * (1 - byChance) ** 2);
  // Rounding may leave a little below 0 where all answers are equal.
  return Math.sqrt(Math.max(0, variance));
}

function distanceOf(i: number, j: number, weights: AgreementWeights): number {
  if (weights === 'none') return i === j ? 0 : 1;
  return weights === 'linear' ? Math.abs(i - j) : (i - j) ** 2;
}
