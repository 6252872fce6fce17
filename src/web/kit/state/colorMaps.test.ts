import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { COLOR_MAPS, colorTableOf, type ColorMapName } from './colorMaps.ts';

/** SHA-256 of the 256 RGB entries of the palettes that PS3.6 annex B defines, as read by pydicom. */
const STANDARD: readonly (readonly [ColorMapName, string])[] = [
  ['hot-iron', '8bba464199e149c18cf501e8174289abf693e5af4a7db4c1602ad48dd4338dda'],
  ['pet', 'bc03f513531e405c3535f0e0d42ab86fb4d7df84fc02f2cd96e75c364b460145'],
  ['hot-metal-blue', 'a421277b84abae409188b25c2fba742ad459dc30356a4aebd37ceb33a94718f9'],
  ['pet-20-step', '6f4f77ec9646ab6c536f1abe9e755ab548dfd0a4e71c4bfe130be2bd355c54ac'],
  ['spring', '1936eccfa8b7e627543a378f2070b8552225e00dcc796baec58f747de1fbba69'],
  ['summer', '645c151a04c5754b036900803eb824a42326a2b4a240f3795a29294e62cefa41'],
  ['fall', '3b967a693980920ac26b92a9f59d43f2f60e54f434a8ccc23e47047c982ef5ac'],
  ['winter', '6c86dcf2f39314221ed176067825b02029deab5f4c57b1677d8dfd756633019f'],
];

function colorsOf(name: ColorMapName): number[][] {
  return [...colorTableOf(name)].map((pixel) => [pixel & 0xff, (pixel >>> 8) & 0xff, (pixel >>> 16) & 0xff]);
}

test.each(STANDARD)('%s is the palette of the standard, entry by entry', (name, digest) => {
  const bytes = Uint8Array.from(colorsOf(name).flat());
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(digest);
});

/** SHA-256 of the 256 colors published by matplotlib 3.11 (CC0), with each channel rounded to a byte. */
const EVEN: readonly (readonly [ColorMapName, string])[] = [
  ['viridis', '18545f7c72a02f02a54f2e3f6ff9dcf357e0190ab9117a1f8fae44c6eaf179e0'],
  ['inferno', 'e24e8bd38b972989f64c42856b2b274df5ada3a62bc01bf8e83500a2ea938ad4'],
  ['magma', 'f95197e8391d18e2c1db50f2a1ab8650ab7c2a9acb781704a8156872615f002b'],
];

test.each(EVEN)('%s is the published table, entry by entry', (name, digest) => {
  const bytes = Uint8Array.from(colorsOf(name).flat());
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(digest);
});

test('known entries of viridis: its ends and its middle', () => {
  const colors = colorsOf('viridis');
  // Documented everywhere as #440154, #21918c and #fde725.
  expect([colors[0], colors[128], colors[255]]).toEqual([
    [0x44, 0x01, 0x54],
    [0x21, 0x91, 0x8c],
    [0xfd, 0xe7, 0x25],
  ]);
});

test('gray is gray', () => {
  expect(colorsOf('gray')).toEqual(Array.from({ length: 256 }, (_, level) => [level, level, level]));
});

test('every pixel of every map is opaque', () => {
  for (const { name } of COLOR_MAPS) {
    expect([...colorTableOf(name)].every((pixel) => pixel >>> 24 === 255)).toBe(true);
  }
});

test('the uniform maps grow lighter from each sixteenth to the next, also with color blindness', () => {
  for (const { name } of COLOR_MAPS.filter(({ origin }) => origin === 'even')) {
    // Rec. 709 luma, which red-green color blindness changes little.
    const lumas = colorsOf(name).map(([red = 0, green = 0, blue = 0]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue);
    const steps = Array.from({ length: 17 }, (_, i) => lumas[Math.min(255, i * 16)] ?? 0);
    expect(steps.every((luma, i) => i === 0 || luma > (steps[i - 1] ?? 0))).toBe(true);
  }
});
