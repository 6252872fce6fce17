import { createHmac } from 'node:crypto';
import { GrowingNumbers } from '../../images/tables/growingNumbers.ts';
import type { WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { ReviewUnits } from './reviewUnits.ts';

/** Units of about the same place, when they are sorted. */
const BUCKET = 8;
const HASH_BYTES = 6;
const HASHES = 2 ** (8 * HASH_BYTES);

export type ReviewOrderOptions = {
  /** The order is that of the HMAC-SHA256 of the UIDs of units with it; without one, that in which they were found. */
  readonly seed: string | undefined;
  /** Whether a unit with open files is part of the review. */
  readonly isPart: (unit: number) => boolean;
  /** Whether the reader has decided it. */
  readonly isDecided: (unit: number) => boolean;
};

/** The units of a review in their order, and how far it is. */
export class ReviewOrder {
  readonly #options: ReviewOrderOptions;
  #order: Uint32Array = new Uint32Array(0);
  /** By unit; 0 for those that are not part of it. */
  #places: Uint32Array = new Uint32Array(0);
  #hashes = new Float64Array(64);
  #hashed = 0;
  #decided = 0;
  /** By unit: 1 if it is decided. */
  readonly #flags = new GrowingNumbers();
  /** Those before it are decided. */
  #searchFrom = 0;

  constructor(options: ReviewOrderOptions) {
    this.#options = options;
  }

  get total(): number {
    return this.#order.length;
  }

  get decided(): number {
    return this.#decided;
  }

  at(position: number): number {
    return this.#order[position]!;
  }

  /** Undefined if the unit is not part of the review. */
  position(unit: number): number | undefined {
    const place = this.#places[unit] ?? 0;
    return place === 0 ? undefined : place - 1;
  }

  /** The position of the first unit that is not decided. */
  firstUndecided(): number | undefined {
    while (this.#searchFrom < this.total && this.isDecided(this.at(this.#searchFrom))) this.#searchFrom += 1;
    return this.#searchFrom < this.total ? this.#searchFrom : undefined;
  }

  isDecided(unit: number): boolean {
    return unit < this.#flags.length && this.#flags.at(unit) === 1;
  }

  /** Called when a unit is decided that was not, or the other way. */
  changed(unit: number, isDecided: boolean): void {
    this.#flags.set(unit, isDecided ? 1 : 0);
    const position = this.position(unit);
    if (position === undefined) return;
    this.#decided += isDecided ? 1 : -1;
    if (!isDecided && position < this.#searchFrom) this.#searchFrom = position;
  }

  /** Makes it anew. Until that is done, it is as it was. */
  *rebuild(units: ReviewUnits): WorkInTurns<void> {
    const part = new GrowingNumbers();
    for (let at = 0; at < units.found.length; at += 1) {
      const unit = units.found.at(at);
      if (units.count(unit) > 0 && this.#options.isPart(unit)) part.set(part.length, unit);
      yield;
    }
    const { seed } = this.#options;
    const order = seed === undefined ? yield* copy(part) : yield* this.#sort(part, units, seed);
    const places = new Uint32Array(units.size);
    for (let unit = 0; unit < units.size; unit += 1) {
      this.#flags.set(unit, this.#options.isDecided(unit) ? 1 : 0);
      yield;
    }
    for (const [position, unit] of order.entries()) {
      places[unit] = position + 1;
      yield;
    }
    // In one step, so that no decision comes between it and the count.
    this.#order = order;
    this.#places = places;
    this.#searchFrom = 0;
    this.#decided = 0;
    for (let at = 0; at < order.length; at += 1) this.#decided += this.#flags.at(order[at]!);
  }

  /** Into buckets by the first bits, which are distributed evenly, and then each of them. */
  *#sort(part: GrowingNumbers, units: ReviewUnits, seed: string): WorkInTurns<Uint32Array> {
    yield* this.#hash(units, seed);
    const count = Math.max(1, Math.ceil(part.length / BUCKET));
    const bucketOf = (unit: number) => Math.floor((this.#hashes[unit]! / HASHES) * count);
    const ends = new Uint32Array(count + 1);
    for (let at = 0; at < part.length; at += 1) {
      ends[bucketOf(part.at(at)) + 1]! += 1;
      yield;
    }
    for (let bucket = 0; bucket < count; bucket += 1) {
      ends[bucket + 1]! += ends[bucket]!;
      yield;
    }
    const next = ends.slice();
    const order = new Uint32Array(part.length);
    for (let at = 0; at < part.length; at += 1) {
      order[next[bucketOf(part.at(at))]!++] = part.at(at);
      yield;
    }
    for (let bucket = 0; bucket < count; bucket += 1) {
      order.subarray(ends[bucket], ends[bucket + 1]).sort((a, b) => this.#hashes[a]! - this.#hashes[b]! || a - b);
      yield;
    }
    return order;
  }

  *#hash(units: ReviewUnits, seed: string): WorkInTurns<void> {
    if (units.size > this.#hashes.length) {
      const larger = new Float64Array(Math.ceil(units.size * 1.25));
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    for (; this.#hashed < units.size; this.#hashed += 1) {
      const { level, study, series, instance } = units.unit(this.#hashed);
      const uid = level === 'study' ? study : level === 'series' ? series : instance;
      this.#hashes[this.#hashed] = createHmac('sha256', seed).update(uid).digest().readUIntBE(0, HASH_BYTES);
      yield;
    }
  }
}

function* copy(numbers: GrowingNumbers): WorkInTurns<Uint32Array> {
  const all = new Uint32Array(numbers.length);
  for (let at = 0; at < numbers.length; at += 1) {
    all[at] = numbers.at(at);
    yield;
  }
  return all;
}
