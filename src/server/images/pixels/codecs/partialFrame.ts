import type { FrameDamage } from '../../../../shared/frameDamage.ts';

/** The damage of a frame of which only the first `present` pixels, row by row, are complete. The share is exact. */
export function damageFromPixels(present: number, { rows, columns }: { rows: number; columns: number }): FrameDamage {
  return {
    kind: 'truncated',
    missing: 1 - present / (rows * columns),
    intactRows: Math.floor(present / columns),
  };
}

/** Damage of unknown extent. */
export function unmeasuredDamage(kind: FrameDamage['kind']): FrameDamage {
  return { kind, missing: undefined, intactRows: 0 };
}

/** The damage of a stream that ends after `wholeScans` complete scans, each of which contributes to all pixels. */
export function cutAfterScans(wholeScans: number): FrameDamage {
  return { ...unmeasuredDamage('truncated'), wholeScans };
}
