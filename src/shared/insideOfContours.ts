import type { ContourPacket } from './contourPacket.ts';
import { coverRings } from './coverRings.ts';
import { createMaskBits, type MaskBits } from './maskRuns.ts';

/** Crossings of the outlines of one part with the rows of a picture: some tenths of a second. */
const MOST_CROSSINGS = 2 ** 21;

/** The pixels whose centers are inside of the closed contours of a part; nothing of outlines that are too many to be filled. */
export function insideOfContours({ rows, columns, items }: ContourPacket, part: number): MaskBits {
  const mask = createMaskBits(columns, rows);
  const rings = items.flatMap((item) => (item.part === part && item.isClosed ? [item.points] : []));
  coverRings(rings, { rows, columns, mostCrossings: MOST_CROSSINGS }, (row, first, end) => {
    mask.bits.fill(1, row * columns + first, row * columns + end);
  });
  return mask;
}
