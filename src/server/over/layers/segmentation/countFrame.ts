import type { FrameDamage } from '../../../../shared/frameDamage.ts';
import type { BitFrame } from '../../../images/pixels/readBits.ts';
import { countSetBits } from './maskBits.ts';
import { mostOf } from './maskLayer.ts';
import type { SampleMeaning } from './segmentationTasks.ts';

/**
 * The amount in one frame by label (0 if the samples are not labels): number of samples, or the sum of their fractions.
 */
export function countFrame(samples: Uint8Array | Uint16Array, meaning: SampleMeaning): ReadonlyMap<number, number> {
  const counts = new Uint32Array(mostOf(samples) + 1);
  for (let i = 0; i < samples.length; i++) counts[samples[i]!]! += 1;
  const found = new Map<number, number>();
  for (let value = 1; value < counts.length; value++) {
    const count = counts[value]!;
    if (count === 0) continue;
    switch (meaning.kind) {
      case 'mask':
        found.set(0, (found.get(0) ?? 0) + count);
        break;
      case 'fractions':
        found.set(0, (found.get(0) ?? 0) + count * Math.min(1, value / meaning.maximum));
        break;
      case 'labels':
        if (!meaning.hidden.includes(value)) found.set(value, count);
        break;
    }
  }
  return found;
}

/** The same of a frame of which the bits are the mask. */
export function countMask(mask: BitFrame): {
  readonly damage: FrameDamage | undefined;
  readonly counts: ReadonlyMap<number, number>;
} {
  const count = countSetBits(mask);
  return { damage: mask.damage, counts: new Map(count === 0 ? [] : [[0, count]]) };
}
