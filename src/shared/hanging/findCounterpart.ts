import type { HangingColumn, HungSeries } from './hangingRule.ts';

/** Two series that differ in one of these play other roles. */
const DECIDING: readonly HangingColumn[] = ['Modality', 'ObjectKind', 'ImageLaterality', 'ViewPosition'];

/** A series with fewer points is not like the other one. */
const LEAST = 3;

/** The series of another study that plays the same role, such as the axial T2; undefined if none is like it. */
export function findCounterpart(series: HungSeries, study: readonly HungSeries[]): HungSeries | undefined {
  let [best, most]: [HungSeries | undefined, number] = [undefined, -Infinity];
  for (const other of study) {
    const points = likenessOf(series, other);
    if (points > most) [best, most] = [other, points];
  }
  return most >= LEAST ? best : undefined;
}

function likenessOf({ values: a }: HungSeries, { values: b }: HungSeries): number {
  if (DECIDING.some((column) => a[column] !== b[column])) return -Infinity;
  // Without images there is nothing else to tell objects of one modality apart.
  if (a.Images === 0 && b.Images === 0) return LEAST + likenessOfTexts(a.SeriesDescription, b.SeriesDescription);
  return (
    pointsFor(a.Plane, b.Plane, 3) +
    pointsFor(a.Weighting, b.Weighting, 6) +
    pointsFor(isInTime(a.Times), isInTime(b.Times), 2) +
    4 * likenessOfTexts(a.SeriesDescription, b.SeriesDescription) +
    likenessOfCounts(a.Images, b.Images)
  );
}

/** What is known of neither says nothing; what is known of one only speaks against it. */
function pointsFor(a: unknown, b: unknown, points: number): number {
  if (a === null && b === null) return 1;
  return a === b ? points : -points;
}

function isInTime(times: string | number | null): boolean {
  return Number(times ?? 1) > 1;
}

/** The share of words that both texts have. */
function likenessOfTexts(a: string | number | null, b: string | number | null): number {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  const all = new Set([...one, ...other]);
  return all.size === 0 ? 0 : [...one].filter((word) => other.has(word)).length / all.size;
}

function wordsOf(text: string | number | null): ReadonlySet<string> {
  return new Set(
    String(text ?? '')
      .toLowerCase()
      .split(/[^a-z0-9+]+/)
      .filter((word) => word !== ''),
  );
}

function likenessOfCounts(a: string | number | null, b: string | number | null): number {
  const [one, other] = [Number(a ?? 0), Number(b ?? 0)];
  return Math.max(one, other) === 0 ? 0 : Math.min(one, other) / Math.max(one, other);
}
