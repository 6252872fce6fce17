import { describeFrameDamage } from '../../../shared/frameDamage.ts';
import type { DamagedPart } from './layerPainter.ts';
import type { LayerPart } from './layerClient.ts';

/** A damaged part, with what names it: the noun of its kind, and the parts of its layer. */
export type DamagedLayerPart = DamagedPart & { readonly noun: string; readonly parts: readonly LayerPart[] };

/** Describes what is damaged over an image; undefined if nothing is. */
export function describeDamage(damaged: readonly DamagedLayerPart[]): string | undefined {
  const [first] = damaged;
  if (first === undefined) return undefined;
  if (damaged.length > 1) {
    const noun = damaged.every((one) => one.noun === first.noun) ? `${first.noun}s` : 'parts of the layers';
    return `${damaged.length} ${noun} of this image are truncated or damaged in their file`;
  }
  const name = first.parts.find(({ number }) => number === first.part)?.name ?? 'this image';
  return `${describeFrameDamage(first.damage, `the ${first.noun} of ${name}`)} in its file`;
}
