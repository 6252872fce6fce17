import { describe, expect, test } from 'vitest';
import { applyPalette, applySupplementalPalette, parsePalette } from './palette.ts';
import { decodeSegments } from './segmentedPalette.ts';

describe('a palette', () => {
  test('paints samples, and repeats its ends', () => {
    const palette = parsePalette({
      red: channel([2, 10, 8], Uint8Array.of(1, 2)),
      green: channel([2, 10, 8], Uint8Array.of(3, 4)),
      blue: channel([2, 10, 8], Uint8Array.of(5, 6)),
      signedInput: false,
    });
    expect([...applyPalette(Uint8Array.of(0, 10, 11, 200), palette!)]).toEqual([1, 3, 5, 1, 3, 5, 2, 4, 6, 2, 4, 6]);
  });

  test.each([
    ['high bytes only', [0x0000, 0x8000, 0xff00]],
    ['both bytes', [0x00ff, 0x80ff, 0xffff]],
    ['8-bit values in words', [0x00, 0x80, 0xff]],
  ])('of 16-bit entries with %s is 0, 128, 255', (_, entries) => {
    const red = channel([3, 0, 16], words(...entries));
    const palette = parsePalette({ red, green: red, blue: red, signedInput: false });
    expect([0, 1, 2].map((i) => palette?.colors[i * 3])).toEqual([0, 128, 255]);
  });

  test('of signed samples starts at a negative value', () => {
    const red = channel([3, 0xffff, 8], Uint8Array.of(10, 20, 30));
    const palette = parsePalette({ red, green: red, blue: red, signedInput: true });
    expect(palette?.firstValue).toBe(-1);
    expect(applyPalette(Int16Array.of(-1, 0, 1), palette!)[3]).toBe(20);
  });

  test('with an empty channel is undefined', () => {
    const red = channel([2, 0, 8], Uint8Array.of(1, 2));
    expect(parsePalette({ red, green: red, blue: channel([], new Uint8Array(0)), signedInput: false })).toBeUndefined();
  });

  test('that is supplemental colors the samples from its first value on', () => {
    const palette = { firstValue: 100, colors: Uint8Array.of(255, 0, 0, 0, 0, 255) };
    const rgb = applySupplementalPalette(Uint16Array.of(5, 99, 100, 101), Uint8Array.of(20, 30, 40, 50), palette);
    expect([...rgb]).toEqual([20, 20, 20, 30, 30, 30, 255, 0, 0, 0, 0, 255]);
  });
});

describe('a segmented palette', () => {
  test('lists entries in a discrete segment', () => {
    expect([...decodeSegments(words(0, 3, 5, 6, 7), 3, 16)]).toEqual([5, 6, 7]);
  });

  test('interpolates to the end value of a linear segment', () => {
    // From 0 to 100 in four steps: 25, 50, 75, 100.
    expect([...decodeSegments(words(0, 1, 0, 1, 4, 100), 5, 16)]).toEqual([0, 25, 50, 75, 100]);
    expect([...decodeSegments(words(0, 1, 100, 1, 4, 0), 5, 16)]).toEqual([100, 75, 50, 25, 0]);
  });

  test('repeats earlier segments in an indirect one', () => {
    // Two segments from byte 0, the discrete 0 and the line to 10, are repeated, starting with that 0.
    const data = words(0, 1, 0, 1, 2, 10, 2, 2, 0, 0);
    expect([...decodeSegments(data, 6, 16)]).toEqual([0, 5, 10, 0, 5, 10]);
  });

  test('of 8-bit entries has an offset of four bytes in its indirect segments', () => {
    const data = Uint8Array.of(0, 1, 0, 1, 2, 10, 2, 1, 3, 0, 0, 0);
    // The one segment at byte 3: a line of two steps, from 10 to 10.
    expect([...decodeSegments(data, 5, 8)]).toEqual([0, 5, 10, 10, 10]);
  });

  test.each([
    ['is cut off', words(0, 3, 5), [5]],
    ['has an unknown opcode', words(0, 1, 5, 9, 1, 1), [5]],
    ['begins with a line', words(1, 4, 100), []],
    ['points to itself', words(0, 1, 5, 2, 1, 6, 0), [5]],
    ['points behind its end', words(0, 1, 5, 2, 1, 600, 0), [5]],
  ])('that %s gives the entries before it', (_, data, entries) => {
    expect([...decodeSegments(data, 10, 16)]).toEqual(entries);
  });

  test('never has more entries than described', () => {
    expect(decodeSegments(words(0, 1, 0, 1, 60_000, 100), 256, 16).length).toBe(256);
  });

  test('is read like any other palette', () => {
    const red = { descriptor: [5, 0, 16], data: words(0, 1, 0, 1, 4, 0xff00), segmented: true };
    const palette = parsePalette({ red, green: red, blue: red, signedInput: false });
    // 0xFF00 * 2 / 4 = 0x7F80.
    expect([0, 2, 4].map((i) => palette?.colors[i * 3])).toEqual([0, 0x7f, 0xff]);
  });
});

function channel(descriptor: number[], data: Uint8Array) {
  return { descriptor, data, segmented: false };
}

function words(...values: number[]): Uint8Array {
  return new Uint8Array(Uint16Array.from(values).buffer);
}
