import { decodePng } from '../../images/pixels/png/decodePng.ts';

/** Implements `findPeakTask`. */
export function findPeak(pictures: readonly Uint8Array[]): number {
  const [first, ...others] = pictures.map((png) => decodePng(png));
  let best = 1;
  let most = -1;
  for (const [at, { pixels }] of others.entries()) {
    let sum = 0;
    const count = Math.min(pixels.length, first?.pixels.length ?? 0);
    for (let n = 0; n < count; n += 1) sum += Math.abs(pixels[n]! - first!.pixels[n]!);
    if (sum > most) [most, best] = [sum, at + 1];
  }
  return best;
}
