import type { Code } from '../../../../shared/contract/semantics.ts';

/** What decides which parts are compared with each other. */
export type PartToPair = {
  readonly part: number;
  /** The value that it has in its object. */
  readonly value: number;
  readonly label: string;
  readonly type: Code | undefined;
};

export type PairedBy = 'code' | 'label' | 'number' | 'request';

/** Places in the lists of parts. */
export type PartPair = { readonly truth: number; readonly test: number; readonly by: PairedBy };

/**
 * Pairs parts with the same code, then those with the same label in letters of any case, then those with the same number. A
 * code or label pairs parts only if one part of each side has it. Parts that are called differently have no number in
 * common; a number pairs only parts of which one has no name of its own.
 */
export function pairParts(truth: readonly PartToPair[], test: readonly PartToPair[]): readonly PartPair[] {
  const pairs: PartPair[] = [];
  const left = { truth: new Set(truth.keys()), test: new Set(test.keys()) };
  const pairBy = (by: PairedBy, keyOf: (part: PartToPair) => string | undefined) => {
    const ofTruth = findUnique(truth, left.truth, keyOf);
    const ofTest = findUnique(test, left.test, keyOf);
    for (const [key, at] of ofTruth) {
      const other = ofTest.get(key);
      if (at === undefined || other === undefined) continue;
      if (by === 'number' && !isUnnamed(truth[at]!) && !isUnnamed(test[other]!)) continue;
      pairs.push({ truth: at, test: other, by });
      left.truth.delete(at);
      left.test.delete(other);
    }
  };
  pairBy('code', ({ type }) => type && `${type.scheme} ${type.value}`);
  pairBy('label', (part) => (isUnnamed(part) ? undefined : nameOf(part)));
  pairBy('number', ({ value }) => `${value}`);
  return pairs.toSorted((a, b) => a.truth - b.truth);
}

function nameOf({ label }: PartToPair): string {
  return label
    .trim()
    .replaceAll(/[\s_-]+/g, ' ')
    .toLowerCase();
}

/** Such as programs call parts that nobody has named: `Label 3`, `segment_3`, `3`. */
function isUnnamed(part: PartToPair): boolean {
  return /^(?:(?:label|segment|part|region|roi|class|structure)\b)? ?\d*$/.test(nameOf(part));
}

/** The places of parts by their keys; undefined where several have one key. */
function findUnique(
  parts: readonly PartToPair[],
  places: ReadonlySet<number>,
  keyOf: (part: PartToPair) => string | undefined,
): ReadonlyMap<string, number | undefined> {
  const found = new Map<string, number | undefined>();
  for (const place of places) {
    const key = keyOf(parts[place]!);
    if (key !== undefined) found.set(key, found.has(key) ? undefined : place);
  }
  return found;
}
