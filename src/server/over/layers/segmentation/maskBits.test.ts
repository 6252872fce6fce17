import { expect, test } from 'vitest';
import { MaskCropper } from './croppedMasks.ts';
import { addBits, countSetBits, findBitBox } from './maskBits.ts';
import { createPlaceMasks, readMask } from './placeMasks.ts';

/** Rows of `.` and `#`, packed without gaps. */
function pack(...lines: readonly string[]) {
  const samples = lines
    .join('')
    .split('')
    .map((sign) => Number(sign === '#'));
  const bits = new Uint8Array(Math.ceil(samples.length / 8));
  for (const [i, sample] of samples.entries()) bits[i >> 3]! |= sample << (i & 7);
  return { rows: lines.length, columns: lines[0]!.length, bits, damage: undefined };
}

const MASK = pack('...........', '...#.......', '.........#.', '...........');

test('the box around the bits of a frame is found in the packed bits', () => {
  expect(findBitBox(MASK)).toEqual({ top: 1, left: 3, rows: 2, columns: 7 });
  expect(findBitBox(pack('...', '...'))).toBeUndefined();
  expect(findBitBox(pack('#..', '..#'))).toEqual({ top: 0, left: 0, rows: 2, columns: 3 });
});

test('set bits are counted, without those beyond the last sample', () => {
  expect(countSetBits(MASK)).toBe(2);
  expect(countSetBits({ rows: 1, columns: 3, bits: Uint8Array.of(0xff), damage: undefined })).toBe(3);
});

test('bits are added at any place', () => {
  const to = new Uint8Array(3);
  to[0] = 1;
  // 1011 0110 1 from bit 2 of 10110110 1 << 2, to bit 5.
  addBits({ bits: Uint8Array.of(0b1101_1000, 0b0000_0110), at: 2 }, { bits: to, at: 5 }, 9);
  // The nine bits 0 1 1 0 1 1 0 1 1, the first lowest, now begin at bit 5: bits 6, 7, 9, 10, 12 and 13.
  expect([...to]).toEqual([0b1100_0001, 0b0011_0110, 0]);
});

test('a cropped mask takes the memory of its box, however large the frame is', () => {
  const cropper = new MaskCropper('bits');
  const bits = new Uint8Array(1_000_000);
  bits[500_000] = 0b11;
  cropper.addBits(0, { rows: 2_000, columns: 4_000, bits, damage: undefined });
  expect(cropper.bytes).toBe(1);
  // Bit 4,000,000 is the first of row 1,000.
  expect([...cropper.build().boxes]).toEqual([1_000, 0, 1, 2]);
});

const wide = (signs: string) => pack(signs.padEnd(80, '.'), '.'.repeat(80));

test('frames of one segment in one place are one mask, and a sample is looked for only in masks near it', () => {
  const cropper = new MaskCropper('bits');
  for (let frame = 0; frame < 100; frame += 1) cropper.addBits(frame, wide(frame % 2 === 0 ? '#' : '.#'));
  cropper.addBits(100, wide(`${'.'.repeat(70)}#`));
  const frames = Array.from({ length: 101 }, (_, frame) => ({ frame, index: frame, segment: frame < 100 ? 1 : 2 }));
  const masksAt = createPlaceMasks(cropper.build(), frames);
  const [first, ...others] = masksAt(0, 0);
  expect(others).toEqual([]);
  expect([0, 1, 2].map((column) => readMask(first!, 0, column))).toEqual([1, 1, 0]);
  expect(masksAt(0, 70).map(({ segment }) => segment)).toEqual([2]);
  expect(masksAt(0, 40)).toEqual([]);
});
