import { ViewerError } from '../../../../shared/contract/errors.ts';

/** Parts that lie over each other in one place. */
export const MOST_OVER_EACH_OTHER = 64;
/** Of one slice. Where there are more, places are looked at one by one. */
const MOST_COMBINATIONS = 2 ** 16;
/** Of a row. Where there are more, its samples are looked at. */
const MOST_RUNS = 16;

/** The combination of a place that has to be looked at; 0 is that without a part. */
const NOT_KNOWN = 0xffff_ffff;

type Size = { readonly rows: number; readonly columns: number };

/**
 * Which parts have samples in common, exactly. A part that is found in a place is looked at with all that are there once
 * for each combination of parts, and not once for each sample: 64 parts that fill a slice have 64 combinations. A row is a
 * few runs of combinations, and samples only if there are many: parts that fill a slice cost a step for each row.
 */
export class OverlappingParts {
  readonly #columns: number;
  readonly #parts: number;
  readonly #mostCombinations: number;
  /** Of rows that are runs: the end and the combination of each. Undefined for one without a part. */
  readonly #runs: (readonly number[] | undefined)[];
  readonly #areSamples: Uint8Array;
  /** Of samples, where rows are samples. */
  readonly #combinations: Uint32Array;
  /** By combination: how many parts it has, the last of them, and the combination of the others. */
  readonly #depths: number[] = [0];
  readonly #lasts: number[] = [0];
  readonly #others: number[] = [0];
  /** The combination that another becomes with a part: itself if it has the part. */
  readonly #next = new Map<number, number>();
  /** Where combinations are not known: the first part of each sample, then the second, and so on; 0 for none. */
  readonly #levels: Uint16Array[] = [];
  /** For each two parts, the lower one first, whether they have a sample in common. */
  readonly #pairs: Uint8Array;
  /** Samples with more than one part. */
  overlaps = 0;
  /** Runs and samples that were looked at. */
  steps = 0;

  /** `parts` is above the number of every part. */
  constructor({ rows, columns }: Size, parts: number, mostCombinations = MOST_COMBINATIONS) {
    this.#columns = columns;
    this.#parts = parts;
    this.#mostCombinations = mostCombinations;
    this.#runs = Array.from({ length: rows }, () => undefined);
    this.#areSamples = new Uint8Array(rows);
    this.#combinations = new Uint32Array(rows * columns);
    this.#pairs = new Uint8Array(parts * parts);
  }

  /** Another slice begins. */
  clear(): void {
    this.#runs.fill(undefined);
    this.#areSamples.fill(0);
    this.#levels.length = 0;
    for (const list of [this.#depths, this.#lasts, this.#others]) list.length = 1;
    this.#next.clear();
  }

  /** Returns how many samples of a part of a row the part did not have yet. */
  add(part: number, row: number, first: number, end: number): number {
    if (this.#areSamples[row] === 0) {
      const count = this.#addToRuns(part, row, first, end);
      if (count !== undefined) return count;
      this.#toSamples(row);
    }
    const start = row * this.#columns;
    return this.#addToSamples(part, start + first, start + end);
  }

  /** Undefined if the row cannot be runs any more; nothing has changed then. */
  #addToRuns(part: number, row: number, first: number, end: number): number | undefined {
    const before = this.#runs[row] ?? [this.#columns, 0];
    const after: number[] = [];
    let [count, overlaps, start] = [0, 0, 0];
    for (let at = 0; at < before.length; at += 2) {
      const [runEnd, combination] = [before[at]!, before[at + 1]!];
      const [from, to] = [Math.max(start, first), Math.min(runEnd, end)];
      start = runEnd;
      this.steps += 1;
      if (from >= to) {
        pushRun(after, runEnd, combination);
        continue;
      }
      const joined = this.#join(combination, part);
      if (joined === NOT_KNOWN) return undefined;
      if (joined !== combination) {
        count += to - from;
        if (this.#depths[combination] === 1) overlaps += to - from;
      }
      pushRun(after, from, combination);
      pushRun(after, to, joined);
      pushRun(after, runEnd, combination);
    }
    if (after.length > 2 * MOST_RUNS) return undefined;
    this.#runs[row] = after;
    this.overlaps += overlaps;
    return count;
  }

  #toSamples(row: number): void {
    const runs = this.#runs[row] ?? [this.#columns, 0];
    const start = row * this.#columns;
    let first = 0;
    for (let at = 0; at < runs.length; at += 2) {
      this.#combinations.fill(runs[at + 1]!, start + first, start + runs[at]!);
      first = runs[at]!;
    }
    this.#areSamples[row] = 1;
  }

  #addToSamples(part: number, from: number, to: number): number {
    const combinations = this.#combinations;
    let count = 0;
    this.steps += to - from;
    for (let first = from, end = from; first < to; first = end) {
      const combination = combinations[first]!;
      do end += 1;
      while (end < to && combinations[end] === combination);
      const joined = combination === NOT_KNOWN ? NOT_KNOWN : this.#join(combination, part);
      if (joined === combination && joined !== NOT_KNOWN) continue;
      if (joined === NOT_KNOWN) {
        for (let at = first; at < end; at += 1) {
          if (combination !== NOT_KNOWN) this.#spell(combination, at);
          if (this.#look(part, at)) count += 1;
        }
      } else {
        count += end - first;
        if (this.#depths[combination] === 1) this.overlaps += end - first;
      }
      combinations.fill(joined, first, end);
    }
    return count;
  }

  /** What a combination becomes with a part. */
  #join(combination: number, part: number): number {
    const key = combination * this.#parts + part;
    const known = this.#next.get(key);
    if (known !== undefined) return known;
    let joined = combination;
    if (!this.#has(combination, part)) {
      const depth = this.#depths[combination]!;
      requireFew(depth);
      for (let other = combination; other !== 0; other = this.#others[other]!) this.#pair(part, this.#lasts[other]!);
      if (this.#depths.length === this.#mostCombinations) return NOT_KNOWN;
      joined = this.#depths.push(depth + 1) - 1;
      this.#lasts.push(part);
      this.#others.push(combination);
    }
    this.#next.set(key, joined);
    return joined;
  }

  #has(combination: number, part: number): boolean {
    for (let other = combination; other !== 0; other = this.#others[other]!) {
      if (this.#lasts[other] === part) return true;
    }
    return false;
  }

  #pair(part: number, other: number): void {
    this.#pairs[Math.min(other, part) * this.#parts + Math.max(other, part)] = 1;
  }

  /** Writes down the parts of a place whose combination will not be known any more. */
  #spell(combination: number, at: number): void {
    for (let other = combination; other !== 0; other = this.#others[other]!) {
      this.#level(this.#depths[other]! - 1)[at] = this.#lasts[other]!;
    }
  }

  /** Returns whether the part is new in the place, and puts it there. */
  #look(part: number, at: number): boolean {
    let depth = 0;
    for (; depth < this.#levels.length && this.#levels[depth]![at] !== 0; depth += 1) {
      if (this.#levels[depth]![at] === part) return false;
    }
    requireFew(depth);
    for (let over = 0; over < depth; over += 1) this.#pair(part, this.#levels[over]![at]!);
    this.#level(depth)[at] = part;
    if (depth === 1) this.overlaps += 1;
    return true;
  }

  #level(depth: number): Uint16Array {
    while (this.#levels.length <= depth) this.#levels.push(new Uint16Array(this.#combinations.length));
    return this.#levels[depth]!;
  }

  /** Both parts of each pair, in ascending order. */
  listPairs(): Uint32Array<ArrayBuffer> {
    const found: number[] = [];
    for (let at = this.#pairs.indexOf(1); at !== -1; at = this.#pairs.indexOf(1, at + 1)) {
      found.push(Math.floor(at / this.#parts), at % this.#parts);
    }
    return Uint32Array.from(found);
  }
}

/** Adds a run up to `end` with a combination, unless it is empty. */
function pushRun(runs: number[], end: number, combination: number): void {
  const before = runs.length < 2 ? 0 : runs[runs.length - 2]!;
  if (end <= before) return;
  if (runs.length > 0 && runs[runs.length - 1] === combination) runs[runs.length - 2] = end;
  else runs.push(end, combination);
}

function requireFew(depth: number): void {
  if (depth < MOST_OVER_EACH_OTHER) return;
  const message = `more than ${MOST_OVER_EACH_OTHER} parts lie over each other: choose fewer of them`;
  throw new ViewerError('layer_too_large', message);
}
