import { ViewerError } from '../../../../shared/contract/errors.ts';

/** Parts that lie over each other in one place. */
export const MOST_OVER_EACH_OTHER = 64;
/** Of one slice. Where there are more, places are looked at one by one. */
const MOST_COMBINATIONS = 2 ** 16;

/** The combination of a place that has to be looked at; 0 is that without a part. */
const NOT_KNOWN = 0xffff_ffff;

/**
 * Which parts have samples in common, exactly. A part that is found in a place is looked at with all that are there once
 * for each combination of parts, and not once for each sample: 64 parts that fill a slice have 64 combinations.
 */
export class OverlappingParts {
  /** The first part of each sample, then the second, and so on; 0 for none. */
  readonly #levels: Uint16Array[] = [];
  readonly #size: number;
  readonly #combinations: Uint32Array;
  /** By combination: how many parts it has. */
  readonly #depths: number[] = [0];
  /** The combination that another becomes with a part: itself if it has the part. */
  readonly #next = new Map<number, number>();
  readonly #parts: number;
  readonly #mostCombinations: number;
  /** For each two parts, the lower one first, whether they have a sample in common. */
  readonly #pairs: Uint8Array;
  /** Samples with more than one part. */
  overlaps = 0;

  /** `parts` is above the number of every part. */
  constructor(size: number, parts: number, mostCombinations = MOST_COMBINATIONS) {
    this.#size = size;
    this.#parts = parts;
    this.#mostCombinations = mostCombinations;
    this.#combinations = new Uint32Array(size);
    this.#pairs = new Uint8Array(parts * parts);
  }

  /** Another slice begins. */
  clear(): void {
    for (const level of this.#levels) level.fill(0);
    this.#combinations.fill(0);
    this.#depths.length = 1;
    this.#next.clear();
  }

  /** Returns how many samples the part did not have yet. */
  add(part: number, from: number, to: number): number {
    const combinations = this.#combinations;
    let count = 0;
    for (let first = from, end = from; first < to; first = end) {
      const combination = combinations[first]!;
      do end += 1;
      while (end < to && combinations[end] === combination);
      if (combination === NOT_KNOWN) {
        for (let at = first; at < end; at += 1) if (this.#look(part, at)) count += 1;
        continue;
      }
      const after = this.#next.get(combination * this.#parts + part) ?? this.#learn(combination, part, first);
      if (after === combination) continue;
      this.#put(part, { first, end, depth: this.#depths[combination]! });
      combinations.fill(after, first, end);
      count += end - first;
    }
    return count;
  }

  /** What a combination becomes with a part that is found in one of its places for the first time. */
  #learn(combination: number, part: number, at: number): number {
    const depth = this.#depths[combination]!;
    let after = this.#has(part, at) ? combination : NOT_KNOWN;
    if (after !== combination) {
      this.#pair(part, at, depth);
      if (this.#depths.length === this.#mostCombinations) return NOT_KNOWN;
      after = this.#depths.push(depth + 1) - 1;
    }
    this.#next.set(combination * this.#parts + part, after);
    return after;
  }

  /** Returns whether the part is new in the place, and puts it there. */
  #look(part: number, at: number): boolean {
    if (this.#has(part, at)) return false;
    let depth = 0;
    while (depth < this.#levels.length && this.#levels[depth]![at] !== 0) depth += 1;
    this.#pair(part, at, depth);
    this.#put(part, { first: at, end: at + 1, depth });
    return true;
  }

  #has(part: number, at: number): boolean {
    for (const level of this.#levels) {
      const other = level[at]!;
      if (other === part) return true;
      if (other === 0) return false;
    }
    return false;
  }

  #pair(part: number, at: number, depth: number): void {
    for (let over = 0; over < depth; over += 1) {
      const other = this.#levels[over]![at]!;
      this.#pairs[Math.min(other, part) * this.#parts + Math.max(other, part)] = 1;
    }
  }

  #put(part: number, { first, end, depth }: { first: number; end: number; depth: number }): void {
    const level = this.#levels[depth] ?? this.#deepen();
    level.fill(part, first, end);
    if (depth === 1) this.overlaps += end - first;
  }

  #deepen(): Uint16Array {
    if (this.#levels.length === MOST_OVER_EACH_OTHER) {
      const message = `more than ${MOST_OVER_EACH_OTHER} parts lie over each other: choose fewer of them`;
      throw new ViewerError('layer_too_large', message);
    }
    const level = new Uint16Array(this.#size);
    this.#levels.push(level);
    return level;
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
