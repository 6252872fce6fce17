import type { LimitFlagCode } from './readFlags.ts';
import type { ReadLimits } from './readPlan.ts';

const PASSED_OVER_PER_KEPT = 10;

/** What reading one object may still cost. */
export class ReadBudget {
  readonly #limits: ReadLimits;
  #kept = 0;
  #steps = 0;
  #bytes = 0;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  /** No further element or item is kept. */
  get isFull(): boolean {
    return this.#kept >= this.#limits.maxElements;
  }

  /** An element, or an item, which takes as much memory. */
  keepOne(): void {
    this.#kept += 1;
  }

  takeValue(length: number): void {
    this.#bytes += length;
  }

  /** One header is read; answers the limit at which reading must end. */
  takeStep(): LimitFlagCode | undefined {
    this.#steps += 1;
    this.#bytes += 8;
    const { maxElements, maxBytes } = this.#limits;
    if (this.#steps > maxElements * PASSED_OVER_PER_KEPT) return 'element_limit';
    return this.#bytes > maxBytes ? 'byte_limit' : undefined;
  }
}
