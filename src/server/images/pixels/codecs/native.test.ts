import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createImagePixel } from '../../../../../test/support/createImagePixel.ts';
import type { ImagePixel } from '../imagePixel.ts';
import { toStoredValues } from '../storedValues.ts';
import { decodeNative } from './native.ts';

describe('samples of every width are read as little endian', () => {
  test.each([
    { bitsAllocated: 8, bytes: [1, 255], samples: [1, 255] },
    { bitsAllocated: 16, bytes: [1, 2, 255, 255], samples: [0x0201, 65535] },
    { bitsAllocated: 24, bytes: [1, 2, 3, 255, 255, 255], samples: [0x030201, 0xffffff] },
    { bitsAllocated: 32, bytes: [1, 2, 3, 4, 255, 255, 255, 255], samples: [0x04030201, 0xffffffff] },
    // Two 12-bit samples share three bytes: 0x321 and 0x654.
    { bitsAllocated: 12, bytes: [0x21, 0x43, 0x65], samples: [0x321, 0x654] },
    { bitsAllocated: 4, bytes: [0x21], samples: [1, 2] },
  ])('$bitsAllocated bits', ({ bitsAllocated, bytes, samples }) => {
    expect(read(bytes, { columns: 2, bitsAllocated })).toEqual(samples);
  });

  test('64 bits', () => {
    const bytes = [1, 0, 0, 0, 0, 0, 0, 0x80, ...Array<number>(8).fill(255)];
    expect(read(bytes, { columns: 2, bitsAllocated: 64 })).toEqual([0x8000000000000001n, 0xffffffffffffffffn]);
    expect(read(bytes, { columns: 2, bitsAllocated: 64, pixelRepresentation: 1 })).toEqual([-0x7fffffffffffffffn, -1n]);
  });

  test('1 bit, with the first sample in the lowest bit of a byte', () => {
    expect(read([0b00000101, 0b1], { columns: 9, bitsAllocated: 1 })).toEqual([1, 0, 1, 0, 0, 0, 0, 0, 1]);
  });

  test('floats and doubles', () => {
    const float = [...new Uint8Array(Float32Array.of(1.5, -0.25).buffer)];
    const double = [...new Uint8Array(Float64Array.of(1.1, -0.25).buffer)];
    expect(read(float, { columns: 2, bitsAllocated: 32, sampleKind: 'float32' })).toEqual([1.5, -0.25]);
    expect(read(double, { columns: 2, bitsAllocated: 64, sampleKind: 'float64' })).toEqual([1.1, -0.25]);
  });
});

describe('only the bits below High Bit are samples', () => {
  test('padding above Bits Stored is cleared', () => {
    expect(read([0x34, 0xf2], { columns: 1, bitsAllocated: 16, bitsStored: 12 })).toEqual([0x234]);
  });

  test('a sign is extended from Bits Stored', () => {
    // 0xf800 in 12 bits is 0x800, the lowest value.
    const signed = { columns: 2, bitsAllocated: 16, bitsStored: 12, pixelRepresentation: 1 as const };
    expect(read([0x00, 0xf8, 0xff, 0x07], signed)).toEqual([-2048, 2047]);
  });

  test('samples stored in the upper bits are shifted down', () => {
    const upper = { columns: 1, bitsAllocated: 16, bitsStored: 12, highBit: 15 };
    expect(read([0x4f, 0x23], upper)).toEqual([0x234]);
    expect(read([0x4f, 0xf3], { ...upper, pixelRepresentation: 1 })).toEqual([-0xcc]); // 0xf34 - 0x1000
  });
});

describe('color is interleaved by pixel, with full chroma', () => {
  test('planes are interleaved', () => {
    const planar = { columns: 2, samplesPerPixel: 3, planarConfiguration: 1 as const };
    expect(read([1, 2, 3, 4, 5, 6], planar)).toEqual([1, 3, 5, 2, 4, 6]);
  });

  test('two pixels of YBR_FULL_422 share their chroma', () => {
    const pixel = createImagePixel({
      rows: 1,
      columns: 4,
      samplesPerPixel: 3,
      photometricInterpretation: 'YBR_FULL_422',
    });
    const decoded = decodeNative(Uint8Array.of(10, 20, 1, 2, 30, 40, 3, 4), pixel);

    expect(Array.from<number | bigint>(decoded.words)).toEqual([10, 1, 2, 20, 1, 2, 30, 3, 4, 40, 3, 4]);
    expect(decoded).toMatchObject({ photometricInterpretation: 'YBR_FULL', changes: ['chroma_expanded'] });
  });

  test('data declared as YBR_FULL_422 that has three samples per pixel is used as it is', () => {
    const pixel = createImagePixel({
      rows: 1,
      columns: 2,
      samplesPerPixel: 3,
      photometricInterpretation: 'YBR_FULL_422',
    });
    const decoded = decodeNative(Uint8Array.of(1, 2, 3, 4, 5, 6), pixel);

    expect(Array.from<number | bigint>(decoded.words)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(decoded.photometricInterpretation).toBe('YBR_FULL');
  });
});

test('a truncated frame shows the pixels that it has, and reports the share that is missing', () => {
  const gray = createImagePixel({ rows: 2, columns: 4, bitsAllocated: 16 });
  // Five pixels and a half.
  const cut = decodeNative(Uint8Array.of(1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6), gray);
  expect(Array.from<number | bigint>(cut.words)).toEqual([1, 2, 3, 4, 5, 6, 0, 0]);
  expect(cut.damage).toEqual({ kind: 'truncated', missing: 3 / 8, intactRows: 1 });

  const planes = createImagePixel({ rows: 2, columns: 2, samplesPerPixel: 3, planarConfiguration: 1 });
  expect(decodeNative(new Uint8Array(10), planes).damage).toEqual({ kind: 'truncated', missing: 0.5, intactRows: 1 });
  expect(decodeNative(new Uint8Array(7), planes).damage).toEqual({ kind: 'truncated', missing: 1, intactRows: 0 });
});

test('a frame with less than one row is refused', () => {
  expect(() => read([1, 2, 3], { columns: 4 })).toThrow('the frame has 3 bytes, but 1 x 4 pixels need 4');
});

test('every integer that fits its bits is read back, for every High Bit', () => {
  const layouts = fc
    .tuple(fc.constantFrom(8, 16, 32), fc.nat(), fc.nat(), fc.boolean(), fc.nat())
    .map(([bitsAllocated, stored, shift, signed, value]) => {
      const bitsStored = 1 + (stored % bitsAllocated);
      const highBit = bitsStored - 1 + (shift % (bitsAllocated - bitsStored + 1));
      const unsigned = value % 2 ** Math.min(bitsStored, 31);
      const half = 2 ** (bitsStored - 1);
      return { bitsAllocated, bitsStored, highBit, signed, value: signed ? (unsigned % (2 * half)) - half : unsigned };
    });
  fc.assert(
    fc.property(layouts, ({ bitsAllocated, bitsStored, highBit, signed, value }) => {
      const word = BigInt.asUintN(bitsStored, BigInt(value)) << BigInt(highBit + 1 - bitsStored);
      const bytes = Array.from({ length: bitsAllocated / 8 }, (_, i) => Number((word >> BigInt(8 * i)) & 0xffn));
      const pixelRepresentation = signed ? 1 : 0;
      expect(read(bytes, { columns: 1, bitsAllocated, bitsStored, highBit, pixelRepresentation })).toEqual([value]);
    }),
  );
});

function read(bytes: readonly number[], layout: Partial<ImagePixel>): (number | bigint)[] {
  const pixel = createImagePixel({ rows: 1, ...layout });
  return Array.from<number | bigint>(toStoredValues(decodeNative(Uint8Array.from(bytes), pixel), pixel).samples);
}
