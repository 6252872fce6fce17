/**
 * One trace in a drawing: where it is, and how time and value are mapped to pixels. The left edge is `startS`; a value is at
 * `zeroY - value * pxPerUnit`.
 */
export type Strip = {
  readonly name: string;
  /** Said after the name: `derived` or `not recorded`. */
  readonly note: string;
  readonly terms: readonly TraceTerm[];
  readonly left: number;
  readonly width: number;
  readonly top: number;
  readonly height: number;
  readonly startS: number;
  readonly pxPerS: number;
  readonly zeroY: number;
  readonly pxPerUnit: number;
  readonly unit: string;
};

/** A trace is the sum of channels, each times a factor. It has none if it was not recorded. */
export type TraceTerm = { readonly group: number; readonly channel: number; readonly factor: number };

export type StripPoint = { readonly timeS: number; readonly value: number };

export function toStripPoint({ left, startS, pxPerS, zeroY, pxPerUnit }: Strip, x: number, y: number): StripPoint {
  return { timeS: startS + (x - left) / pxPerS, value: (zeroY - y) / pxPerUnit };
}

export function xOf({ left, startS, pxPerS }: Strip, timeS: number): number {
  return left + (timeS - startS) * pxPerS;
}

export function yOf({ zeroY, pxPerUnit }: Strip, value: number): number {
  return zeroY - value * pxPerUnit;
}

/** The strip at a place, or the nearest one above or below it. */
export function stripAt(strips: readonly Strip[], x: number, y: number): Strip | undefined {
  let best: Strip | undefined;
  let bestPx = Infinity;
  for (const strip of strips) {
    const beside = Math.max(strip.left - x, x - strip.left - strip.width, 0);
    const away = Math.max(strip.top - y, y - strip.top - strip.height, 0) + beside;
    if (strip.terms.length > 0 && away < bestPx) [best, bestPx] = [strip, away];
  }
  return best;
}
