import type { DecodedWords } from './codec.ts';

type Words = DecodedWords['words'];

/** Converts planes RRR… GGG… BBB… to pixels RGB RGB … */
export function interleavePlanes<W extends Words>(planes: W, samplesPerPixel: number): W {
  const pixels = planes.length / samplesPerPixel;
  const interleaved = createLike(planes, planes.length);
  for (let sample = 0; sample < samplesPerPixel; sample++) {
    const plane = planes.subarray(sample * pixels, (sample + 1) * pixels);
    for (let i = 0, to = sample; i < pixels; i++, to += samplesPerPixel) interleaved[to] = plane[i]!;
  }
  return interleaved;
}

/** Expands two pixels stored as Y1 Y2 Cb Cr to Y1 Cb Cr, Y2 Cb Cr. PS3.3 C.7.6.3.1.2, YBR_FULL_422. */
export function expandChroma<W extends Words>(halved: W, pixels: number): W {
  const expanded = createLike(halved, pixels * 3);
  for (let from = 0, to = 0; from + 3 < halved.length; from += 4, to += 6) {
    expanded[to] = halved[from]!;
    expanded[to + 3] = halved[from + 1]!;
    expanded[to + 1] = expanded[to + 4] = halved[from + 2]!;
    expanded[to + 2] = expanded[to + 5] = halved[from + 3]!;
  }
  return expanded;
}

function createLike<W extends Words>(words: W, length: number): W {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every typed array has such a constructor
  const { constructor } = words as unknown as { constructor: new (length: number) => W };
  return new constructor(length);
}
