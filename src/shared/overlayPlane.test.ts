import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawOverlayPlane, findOverlayFrame, type OverlayPlane, unpackOverlay } from './overlayPlane.ts';

describe('overlay data', () => {
  test('has its first pixel in the lowest bit', () => {
    expect([...unpackOverlay(Uint8Array.of(0b0000_0101, 0b1), 9, 0)]).toEqual([1, 0, 1, 0, 0, 0, 0, 0, 1]);
  });

  test('of the second frame begins inside a byte', () => {
    // Frames of three pixels: 101, then 011.
    expect([...unpackOverlay(Uint8Array.of(0b110_101), 3, 1)]).toEqual([0, 1, 1]);
  });

  test('that is too short takes no memory for the missing part', () => {
    expect([...unpackOverlay(Uint8Array.of(0xff), 10, 0)]).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect([...unpackOverlay(Uint8Array.of(0xff), 10, 5)]).toEqual([]);
    expect(unpackOverlay(Uint8Array.of(0xff), 65_535 * 65_535, 0).length).toBe(8);
  });

  test('unpacks what was packed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 1 })), (bits) => {
        const data = new Uint8Array(Math.ceil(bits.length / 8));
        for (const [i, bit] of bits.entries()) data[i >> 3]! |= bit << (i & 7);
        expect([...unpackOverlay(data, bits.length, 0)]).toEqual(bits);
      }),
    );
  });
});

// The overlay of two frames starts at the image's third frame.
test.each([
  [0, undefined, undefined, 0],
  [7, undefined, 3, 0],
  [1, 2, 3, undefined],
  [2, 2, 3, 0],
  [3, 2, 3, 1],
  [4, 2, 3, undefined],
  [0, 1, undefined, 0],
])('image frame %i with %s overlay frames from %s on has overlay frame %s', (frame, count, origin, expected) => {
  expect(findOverlayFrame(frame, count, origin)).toBe(expected);
});

describe('an overlay', () => {
  test.each([
    ['at 1, 1', [1, 1], [255, 0, 0, 0, 255, 0]],
    ['one row down and one column to the right', [2, 2], [0, 0, 0, 0, 255, 0]],
    ['one column outside', [1, 0], [0, 0, 0, 255, 0, 0]],
    ['far outside', [-50, 900], [0, 0, 0, 0, 0, 0]],
  ] as const)('%s is drawn white where it meets the image', (_, origin, expected) => {
    const pixels = new Uint8Array(6);
    drawOverlayPlane({ rows: 2, columns: 3, channels: 1, pixels }, diagonal(origin));
    expect([...pixels]).toEqual(expected);
  });

  test('whose data ends early leaves the rest of the image visible', () => {
    const pixels = new Uint8Array(6);
    drawOverlayPlane({ rows: 2, columns: 3, channels: 1, pixels }, { ...diagonal([1, 1]), mask: Uint8Array.of(1) });
    expect([...pixels]).toEqual([255, 0, 0, 0, 0, 0]);
  });

  test('is white on color images too', () => {
    const pixels = new Uint8Array(6);
    drawOverlayPlane({ rows: 1, columns: 2, channels: 3, pixels }, diagonal([1, 1]));
    expect([...pixels]).toEqual([255, 255, 255, 0, 0, 0]);
  });
});

function diagonal(origin: readonly [number, number]): OverlayPlane {
  return { rows: 2, columns: 2, origin, mask: Uint8Array.of(1, 0, 0, 1) };
}
