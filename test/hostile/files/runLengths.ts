import { join } from '../../support/rawElements.ts';
import { encapsulated, type HostileFile, longs, refused, shown, shownDamaged } from '../hostileFile.ts';

const RLE = '1.2.840.10008.1.2.5';

/** A header of 16 numbers: the number of segments and the offset of each. */
function rle(count: number, offsets: readonly number[], ...segments: readonly Uint8Array[]): Uint8Array {
  const header = [count, ...offsets, ...Array.from({ length: 15 - offsets.length }, () => 0)];
  return encapsulated(RLE, [join(longs(...header), ...segments)]);
}

const RUN = Uint8Array.of(254, 5, 254, 5);

/** RLE headers with circular offsets, and runs that do not end. */
export const runLengths: readonly HostileFile[] = [
  refused('RLE segments that are all the same', 'pixel_decode_failed', () => rle(2, [64, 64], RUN)),
  refused('RLE segments that go backwards', 'pixel_decode_failed', () => rle(2, [68, 64], RUN, RUN)),
  refused('RLE segments in the header', 'pixel_decode_failed', () => rle(2, [0, 4], RUN)),
  shownDamaged('RLE segments outside of the frame', () => rle(2, [64, 2 ** 32 - 1], RUN)),
  refused('RLE of 2^32-1 segments', 'pixel_decode_failed', () => rle(2 ** 32 - 1, [64, 68], RUN, RUN)),
  refused('RLE of no segment', 'pixel_decode_failed', () => rle(0, [], RUN)),
  refused('RLE of 15 segments', 'pixel_decode_failed', () =>
    rle(
      15,
      Array.from({ length: 15 }, (_, i) => 64 + i),
      RUN,
    ),
  ),
  refused('RLE that is no header', 'pixel_decode_failed', () => encapsulated(RLE, [new Uint8Array(10)])),
  refused('RLE of nothing but no-operations', 'pixel_decode_failed', () =>
    rle(2, [64, 1_000_064], new Uint8Array(1_000_000).fill(128), RUN),
  ),
  shownDamaged('RLE with a literal that is cut off', () => rle(2, [64, 68], RUN, Uint8Array.of(127, 1))),
  shown('RLE with a million more runs after the last pixel', () =>
    rle(2, [64, 2_000_068], RUN, new Uint8Array(2_000_000).fill(129), RUN),
  ),
  shownDamaged('RLE of a million runs that are longer than the frame', () =>
    rle(2, [64, 2_000_064], new Uint8Array(2_000_000).fill(129), RUN),
  ),
];
