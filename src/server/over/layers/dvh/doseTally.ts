import type { DvhPoint, DvhWish } from '../../../../shared/dvhWishes.ts';
import type { DoseScale, MeasuredDvh } from './dvhTasks.ts';

/** Steps of the inner histogram: doses are found to a part in so many of the highest one. */
const FINE = 65_536;
const MM3_PER_CM3 = 1000;

/** Sums up samples of a dose by their volumes. */
export class DoseTally {
  readonly #bins: number;
  readonly #perBin: number;
  readonly #stepGy: number;
  readonly #fine: Float64Array;
  readonly #wishes: readonly DvhWish[];
  #insideMm3 = 0;
  #outsideMm3 = 0;
  #sum = 0;
  #minimum = Infinity;
  #maximum = -Infinity;

  constructor({ topGy, bins, wishes }: DoseScale) {
    this.#bins = bins;
    this.#wishes = wishes;
    // The edges of the bins are edges of the fine ones, too.
    this.#perBin = Math.ceil(FINE / bins);
    this.#fine = new Float64Array(bins * this.#perBin);
    this.#stepGy = topGy / this.#fine.length;
  }

  /**
   * Adds samples with the parts of a cell that they stand for. A dose that is not a number is unknown. Samples of less
   * than half a cell have their centre outside the structure, so they do not count as its least or highest dose.
   */
  add(doses: Float64Array, from: number, weights: Float64Array, cellMm3: number): void {
    const fine = this.#fine;
    const last = fine.length - 1;
    const perGy = 1 / this.#stepGy;
    // Locals, because this loop runs for every sample.
    let [inside, outside, sum] = [0, 0, 0];
    let [minimum, maximum] = [this.#minimum, this.#maximum];
    for (let at = 0; at < weights.length; at += 1) {
      const weight = weights[at]!;
      if (weight === 0) continue;
      const dose = doses[from + at]!;
      if (Number.isNaN(dose)) {
        outside += weight;
        continue;
      }
      inside += weight;
      sum += weight * dose;
      if (weight >= 0.5) {
        if (dose < minimum) minimum = dose;
        if (dose > maximum) maximum = dose;
      }
      const bin = Math.floor(dose * perGy);
      fine[bin < 0 ? 0 : bin > last ? last : bin]! += weight * cellMm3;
    }
    this.#insideMm3 += inside * cellMm3;
    this.#outsideMm3 += outside * cellMm3;
    this.#sum += sum * cellMm3;
    [this.#minimum, this.#maximum] = [minimum, maximum];
  }

  finish(how: Pick<MeasuredDvh, 'stepMm' | 'planes'>): MeasuredDvh {
    const insideMm3 = this.#insideMm3;
    const mean = this.#sum / insideMm3;
    // A structure that is narrower than the samples has no whole one.
    const isNarrow = this.#minimum > this.#maximum;
    const [minimum, maximum] = isNarrow ? [mean, mean] : [this.#minimum, this.#maximum];
    const doseOf = (mm3: number) => Math.min(maximum, Math.max(minimum, this.#doseOf(mm3)));
    const ofVolume = (cm3: number) => (cm3 * MM3_PER_CM3 <= insideMm3 ? doseOf(cm3 * MM3_PER_CM3) : NaN);
    return {
      volumeMm3: insideMm3 + this.#outsideMm3,
      insideMm3,
      minimum,
      mean,
      maximum,
      d98: doseOf(0.98 * insideMm3),
      d95: doseOf(0.95 * insideMm3),
      d50: doseOf(0.5 * insideMm3),
      d2: doseOf(0.02 * insideMm3),
      d2cc: ofVolume(2),
      d01cc: ofVolume(0.1),
      points: this.#wishes.map((wish): DvhPoint => {
        if (wish.of === 'volume') return { gy: wish.gy, mm3: this.#volumeOf(wish.gy) };
        const mm3 = wish.unit === 'percent' ? (wish.volume / 100) * insideMm3 : wish.volume * MM3_PER_CM3;
        return { gy: mm3 <= insideMm3 ? doseOf(mm3) : NaN, mm3 };
      }),
      cumulativeMm3: this.#cumulate(),
      ...how,
    };
  }

  /** The least dose in the hottest `mm3`. Within a fine bin the volume is taken to be spread evenly. */
  #doseOf(mm3: number): number {
    let above = 0;
    for (let bin = this.#fine.length - 1; bin >= 0; bin -= 1) {
      const own = this.#fine[bin]!;
      if (own > 0 && above + own >= mm3) return (bin + 1 - (mm3 - above) / own) * this.#stepGy;
      above += own;
    }
    // Rounding may leave the sum a little below the volume.
    return this.#insideMm3 > 0 ? 0 : NaN;
  }

  /** The volume with at least a dose, by the same rule. */
  #volumeOf(gy: number): number {
    const place = gy / this.#stepGy;
    const first = Math.floor(place);
    if (first >= this.#fine.length) return 0;
    let above = this.#fine[first]! * (first + 1 - place);
    for (let bin = this.#fine.length - 1; bin > first; bin -= 1) above += this.#fine[bin]!;
    return above;
  }

  #cumulate(): Float64Array<ArrayBuffer> {
    const cumulative = new Float64Array(this.#bins + 1);
    let above = 0;
    for (let bin = this.#bins - 1; bin >= 0; bin -= 1) {
      for (let at = bin * this.#perBin; at < (bin + 1) * this.#perBin; at += 1) above += this.#fine[at]!;
      cumulative[bin] = above;
    }
    return cumulative;
  }
}
