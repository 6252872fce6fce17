import { encodeRle } from '../../support/encodeRle.ts';
import { explicit, item, join, part10, sequenceEnd, UNDEFINED } from '../../support/rawElements.ts';
import { type HostileFile, IMAGE_HEADER, longs, refused, shown } from '../hostileFile.ts';

const RLE = '1.2.840.10008.1.2.5';
const STREAM = encodeRle(new Uint8Array(Int16Array.of(863, 1064, 1264).buffer), 2, 1);
const FRAMES = 3;
/** The correct offset of a fragment: it follows the fragments before it, each with its header. */
const TRUE_OFFSET = 8 + STREAM.length;

type Tables = { readonly basic: Uint8Array; readonly extended?: readonly [offsets: Uint8Array, lengths: Uint8Array] };

/** Three good frames behind wrong offset tables. */
function withTables({ basic, extended }: Tables, declaredTable?: number): Uint8Array {
  const tables = extended && [explicit(0x7fe00001, 'OV', extended[0]), explicit(0x7fe00002, 'OV', extended[1])];
  const fragments = Array.from({ length: FRAMES }, () => item(STREAM));
  return part10(
    join(
      IMAGE_HEADER(),
      explicit(0x00280008, 'IS', `${FRAMES} `),
      ...(tables ?? []),
      explicit(0x7fe00010, 'OB', join(item(basic, declaredTable), ...fragments), UNDEFINED),
      sequenceEnd(),
    ),
    RLE,
  );
}

const withBasic = (...offsets: readonly number[]) => withTables({ basic: longs(...offsets) });

function withExtended(offsets: readonly bigint[], lengths: readonly bigint[]): Uint8Array {
  return withTables({ basic: new Uint8Array(0), extended: [toBytes(offsets), toBytes(lengths)] });
}

function toBytes(values: readonly bigint[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(values).buffer);
}

const LENGTHS = Array.from({ length: FRAMES }, () => BigInt(STREAM.length));

/** The positions of the frames follow from the fragments, so a wrong table is ignored. */
export const offsetTables: readonly HostileFile[] = [
  shown('offsets outside of the file', () => withBasic(0, 2 ** 31, 2 ** 32 - 2)),
  shown('offsets that all lie outside', () => withBasic(2 ** 30, 2 ** 31, 2 ** 32 - 2)),
  shown('offsets that go backwards', () => withBasic(2 * TRUE_OFFSET, TRUE_OFFSET, 0)),
  shown('offsets that are all the same', () => withBasic(0, 0, 0)),
  shown('offsets into the middle of fragments', () => withBasic(0, 3, 7)),
  shown('offsets one byte beside', () => withBasic(1, TRUE_OFFSET + 1, 2 * TRUE_OFFSET + 1)),
  shown('fewer offsets than frames', () => withBasic(0)),
  shown('more offsets than frames', () => withBasic(...Array.from({ length: 10_000 }, (_, i) => i))),
  shown('an offset table of odd length', () => withTables({ basic: new Uint8Array(7) })),
  refused('an offset table longer than the file', 'frame_out_of_range', () => withTables({ basic: longs(0) }, 2 ** 31)),
  refused('an offset table of undefined length', 'frame_out_of_range', () =>
    withTables({ basic: longs(0) }, UNDEFINED),
  ),
  shown('extended offsets outside of the file', () => withExtended([0n, 2n ** 63n, 2n ** 64n - 1n], LENGTHS)),
  shown('extended offsets that go backwards', () =>
    withExtended([2n * BigInt(TRUE_OFFSET), BigInt(TRUE_OFFSET), 0n], LENGTHS),
  ),
  shown('extended offsets that are all the same', () => withExtended([0n, 0n, 0n], LENGTHS)),
  shown('extended lengths of 2^64-1', () =>
    withExtended([0n, BigInt(TRUE_OFFSET), 2n * BigInt(TRUE_OFFSET)], [2n ** 64n - 1n, 0n, 1n]),
  ),
  shown('extended lengths for other frames', () =>
    withExtended([0n, BigInt(TRUE_OFFSET), 2n * BigInt(TRUE_OFFSET)], [1n]),
  ),
  refused('pixel data that begins with a delimiter', 'frame_out_of_range', () =>
    part10(join(IMAGE_HEADER(), explicit(0x7fe00010, 'OB', sequenceEnd(), UNDEFINED)), RLE),
  ),
  refused('pixel data that begins with anything', 'frame_out_of_range', () =>
    part10(join(IMAGE_HEADER(), explicit(0x7fe00010, 'OB', Buffer.alloc(100, 'x'), UNDEFINED)), RLE),
  ),
  refused('a million empty fragments', 'frame_out_of_range', () =>
    part10(
      join(IMAGE_HEADER(), explicit(0x7fe00010, 'OB', Buffer.alloc(8_000_008, item()), UNDEFINED), sequenceEnd()),
      RLE,
    ),
  ),
];
