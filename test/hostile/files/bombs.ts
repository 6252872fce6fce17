import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { writeDicom } from '../../../src/server/standard/dicom/writeDicom.ts';
import { ctRow } from '../../support/imageElements.ts';
import { explicit, join, part10 } from '../../support/rawElements.ts';
import { encapsulated, type HostileFile, IMAGE_HEADER, PIXELS, refused, shownInTime, skipped } from '../hostileFile.ts';

const DEFLATED = '1.2.840.10008.1.2.1.99';
const DEFLATED_FRAME = '1.2.840.10008.1.2.8.1';
const MIB = 2 ** 20;

/** Data that expands by a factor of a hundred or a thousand. */
export const bombs: readonly HostileFile[] = [
  // Within the limits for size and ratio, so it is inflated and skipped.
  shownInTime('a deflate bomb of 100:1', () => deflatedImage(longText(40 * MIB, noisyMebibyte()))),
  // Its pixels lie beyond the limit.
  refused('a deflate bomb of 1000:1', 'decode_memory_exceeded', () =>
    deflatedImage(longText(1_024 * MIB, new Uint8Array(MIB))),
  ),
  skipped('a deflated file of noise', 'dicom_parse_failed', () => part10(noise(10_000), DEFLATED)),
  skipped('a deflated file of nothing', 'dicom_parse_failed', () => part10(new Uint8Array(0), DEFLATED)),
  refused('a deflated file that is cut off', 'no_pixel_data', () =>
    writeDicom(ctRow({ '00411010': { vr: 'OB', value: noise(20_000) } }), { transferSyntaxUid: DEFLATED }).slice(
      0,
      15_000,
    ),
  ),
  refused('a deflated frame that is a bomb of 1000:1', 'pixel_decode_failed', () =>
    encapsulated(DEFLATED_FRAME, [deflateRawSync(new Uint8Array(64 * MIB))]),
  ),
  refused('a deflated frame that is too short', 'pixel_decode_failed', () =>
    encapsulated(DEFLATED_FRAME, [deflateRawSync(new Uint8Array(5))]),
  ),
  refused('a deflated frame of noise', 'pixel_decode_failed', () => encapsulated(DEFLATED_FRAME, [noise(1_000)])),
  refused('a deflated frame that begins as zlib and is not', 'pixel_decode_failed', () =>
    encapsulated(DEFLATED_FRAME, [join(Uint8Array.of(0x78, 0x9c), noise(1_000))]),
  ),
  refused('a deflated frame of zlib that is a bomb', 'pixel_decode_failed', () =>
    encapsulated(DEFLATED_FRAME, [deflateSync(new Uint8Array(64 * MIB))]),
  ),
];

/** Blocks that end with a full flush can be repeated, so only one mebibyte is deflated to produce a gigabyte. */
function longText(bytes: number, piece: Uint8Array): { bytes: number; blocks: Uint8Array } {
  const block = deflateRawSync(piece, { finishFlush: constants.Z_FULL_FLUSH });
  return { bytes, blocks: Buffer.alloc((block.length * bytes) / piece.length, block) };
}

/** An image whose pixels follow a value of this many bytes. */
function deflatedImage(text: { bytes: number; blocks: Uint8Array }): Uint8Array {
  const before = join(IMAGE_HEADER(), explicit(0x00411010, 'OB', '', text.bytes));
  const flushed = deflateRawSync(before, { finishFlush: constants.Z_FULL_FLUSH });
  return part10(join(flushed, text.blocks, deflateRawSync(PIXELS())), DEFLATED);
}

/** Deflates to about a hundredth: one byte in 256 is noise. */
function noisyMebibyte(): Uint8Array {
  const bytes = new Uint8Array(MIB);
  for (const [i, byte] of noise(MIB / 256).entries()) bytes[i * 256] = byte;
  return bytes;
}

/** The same bytes on every run, from a linear congruential generator (Numerical Recipes). */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}
