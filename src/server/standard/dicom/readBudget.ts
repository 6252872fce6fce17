import type { LimitFlagCode } from './readFlags.ts';
import type { ReadLimits } from './readPlan.ts';

const HEADER_BYTES = 8;

/** Tracks what reading one object has cost, against the limits. */
export class ReadBudget {
  readonly #limits: ReadLimits;
  #kept = 0;
  #bytes = 0;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  /** No further element or item may be kept. */
  get isFull(): boolean {
    return this.#kept >= this.#limits.maxElements;
  }

  /** Counts an element, or an item, which takes as much memory. */
  keepOne(): void {
    this.#kept += 1;
  }

  takeValue(length: number): void {
    this.#bytes += length;
  }

  /** Counts one header; returns the limit that reading has exceeded. */
  takeStep(): LimitFlagCode | undefined {
    this.#bytes += HEADER_BYTES;
    return this.#bytes > this.#limits.maxBytes ? 'byte_limit' : undefined;
  }
}
