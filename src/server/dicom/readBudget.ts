import type { LimitFlagCode } from './readFlags.ts';
import type { ReadLimits } from './readPlan.ts';

const HEADER_BYTES = 8;

/** What reading one object may still cost. */
export class ReadBudget {
  readonly #limits: ReadLimits;
  #kept = 0;
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
    this.#bytes += HEADER_BYTES;
    return this.#bytes > this.#limits.maxBytes ? 'byte_limit' : undefined;
  }
}
