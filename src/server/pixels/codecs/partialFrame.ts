import type { FrameDamage } from '../../../shared/frameDamage.ts';

/** The damage of a frame of which only the first `present` pixels, row by row, are whole. The share is exact. */
export function damageFromPixels(present: number, { rows, columns }: { rows: number; columns: number }): FrameDamage {
  return {
    kind: 'truncated',
    missing: 1 - present / (rows * columns),
    intactRows: Math.floor(present / columns),
  };
}

/** Damage of which nothing is known but that it is there. */
export function unmeasuredDamage(kind: FrameDamage['kind']): FrameDamage {
  return { kind, missing: undefined, intactRows: 0 };
}

/** A stream of several scans, each of which adds to all pixels, that ends after so many whole ones. */
export function cutAfterScans(wholeScans: number): FrameDamage {
  return { ...unmeasuredDamage('truncated'), wholeScans };
}
