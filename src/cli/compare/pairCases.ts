/** A file of one side, and what says which case it is of. */
export type CaseFile = {
  /** Below the folder of its side; the name alone for a file. */
  readonly name: string;
  /** The series that it references or lies over; empty if it names none. */
  readonly series: readonly string[];
  /** Where it lies; undefined if it does not say. */
  readonly place: string | undefined;
};

export type CasePairedBy = 'series' | 'name' | 'place' | 'request';

/** Places in the lists of files. */
export type CasePair = { readonly truth: number; readonly test: number; readonly by: CasePairedBy };

export type PairedCases = {
  readonly pairs: readonly CasePair[];
  /** Files that could be of several cases, or several of one. */
  readonly ambiguous: readonly { readonly truth: readonly number[]; readonly test: readonly number[] }[];
  /** Files that nothing of the other side can belong to. */
  readonly onlyTruth: readonly number[];
  readonly onlyTest: readonly number[];
};

type Sides = { readonly truth: readonly CaseFile[]; readonly test: readonly CaseFile[] };
type KeyOf = (file: CaseFile) => string | undefined;

/**
 * Pairs files of two sides that are of one case: those that reference the same series, those that have the same name, and
 * those that lie in the same place. Each of these pairs two files only if nothing else is called the same: what remains is
 * tried with the next one. Names come before places, because many cases may have one place.
 */
export function pairCases({ truth, test }: Sides): PairedCases {
  if (truth.length === 1 && test.length === 1) {
    return { pairs: [{ truth: 0, test: 0, by: 'request' }], ambiguous: [], onlyTruth: [], onlyTest: [] };
  }
  const left = { truth: new Set(truth.keys()), test: new Set(test.keys()) };
  const pairs: CasePair[] = [];
  const conflicts: { readonly truth: readonly number[]; readonly test: readonly number[] }[] = [];
  const haveSeries = [...truth, ...test].every(({ series }) => series.length > 0);
  const inSeries = (keyOf: KeyOf): KeyOf => (haveSeries ? (file) => `${seriesOf(file)} ${keyOf(file)}` : keyOf);
  const levels: readonly (readonly [CasePairedBy, KeyOf])[] = [
    ['series', seriesOf],
    ['name', inSeries(({ name }) => stemOf(name))],
    ['name', inSeries(({ name }) => stemOf(lastOf(name)))],
    ['name', inSeries(({ name }) => withoutRole(stemOf(lastOf(name))))],
    ['place', inSeries(({ place }) => place)],
  ];
  for (const [by, keyOf] of levels) {
    const groups = { truth: groupBy(truth, left.truth, keyOf), test: groupBy(test, left.test, keyOf) };
    for (const [key, ofTruth] of groups.truth) {
      const ofTest = groups.test.get(key);
      if (ofTest === undefined) continue;
      const [one, ...moreTruth] = ofTruth;
      const [other, ...moreTest] = ofTest;
      if (moreTruth.length > 0 || moreTest.length > 0) {
        conflicts.push({ truth: ofTruth, test: ofTest });
        continue;
      }
      pairs.push({ truth: one!, test: other!, by });
      left.truth.delete(one!);
      left.test.delete(other!);
    }
  }
  const ambiguous = joinConflicts(conflicts, left);
  const isNamed = (side: 'truth' | 'test', at: number) => ambiguous.some((one) => one[side].includes(at));
  return {
    pairs: pairs.toSorted((a, b) => a.truth - b.truth),
    ambiguous,
    onlyTruth: [...left.truth].filter((at) => !isNamed('truth', at)),
    onlyTest: [...left.test].filter((at) => !isNamed('test', at)),
  };
}

/** What is left of conflicts, each file once. */
function joinConflicts(
  conflicts: PairedCases['ambiguous'],
  left: { readonly truth: ReadonlySet<number>; readonly test: ReadonlySet<number> },
): PairedCases['ambiguous'] {
  const named = { truth: new Set<number>(), test: new Set<number>() };
  return conflicts.flatMap((conflict) => {
    const rest = (side: 'truth' | 'test') => conflict[side].filter((at) => left[side].has(at) && !named[side].has(at));
    const found = { truth: rest('truth'), test: rest('test') };
    if (found.truth.length === 0 || found.test.length === 0) return [];
    for (const side of ['truth', 'test'] as const) for (const at of found[side]) named[side].add(at);
    return [found];
  });
}

function seriesOf({ series }: CaseFile): string | undefined {
  return series.length === 0 ? undefined : [...series].toSorted().join(' ');
}

function groupBy(
  files: readonly CaseFile[],
  places: ReadonlySet<number>,
  keyOf: KeyOf,
): ReadonlyMap<string, readonly number[]> {
  const groups = new Map<string, number[]>();
  for (const at of places) {
    const key = keyOf(files[at]!);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), at]);
  }
  return groups;
}

function lastOf(name: string): string {
  return name.split(/[/\\]/).at(-1)!;
}

/** Without endings such as `.nii.gz` and `.seg.nrrd`. */
export function stemOf(name: string): string {
  return name.replace(/\.(?:nii\.gz|hdr\.gz|seg\.nrrd|nii|hdr|nrrd|nhdr|npy|npz|dcm)$/i, '');
}

/** Without what says that it is the truth or a prediction, such as in `case_001_pred` and `case_001_gt`. */
function withoutRole(stem: string): string {
  return stem.replace(/[ ._-]+(?:seg|segmentation|labels?|masks?|gt|truth|preds?|prediction|manual|auto)$/i, '');
}
