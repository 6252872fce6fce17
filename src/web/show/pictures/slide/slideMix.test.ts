import { expect, test } from 'vitest';
import type { OpticalPath } from './levelTiles.ts';
import { fromHex, toHex } from '../../../kit/state/pathMix.ts';
import { startMix, toRange, toWindow } from './slideMix.ts';

function path(label: string, wavelengthNm?: number): OpticalPath {
  return { key: label, label, wavelengthNm, objectivePower: undefined };
}

function colorsOf(...paths: readonly OpticalPath[]): string[] {
  return startMix(paths).map(({ color }) => toHex(color));
}

const [BLUE, GREEN, RED] = ['#3c5aff', '#00ff00', '#ff2828'];

test('a path has the color of its dye, else that of its light, else the next one that is free', () => {
  expect(colorsOf(path('2 FITC'), path('1 DAPI'), path('3 Cy3'))).toEqual([GREEN, BLUE, RED]);
  // 385, 488 and 555 nm are the excitation wavelengths of DAPI, FITC and TRITC.
  expect(colorsOf(path('a', 555), path('b', 385), path('c', 488))).toEqual([RED, BLUE, GREEN]);
  expect(colorsOf(path('a'), path('b'), path('c'))).toEqual([BLUE, GREEN, RED]);
  expect(new Set(colorsOf(path('DAPI 1'), path('DAPI 2'))).size).toBe(2);
});

test('a range of values is the window whose ends they are', () => {
  // PS3.3 C.11.2.1.2: a width of 256 around 128 ranges from 0 to 255.
  expect(toWindow({ low: 0, high: 255 })).toEqual({ kind: 'explicit', center: 128, width: 256 });
  expect(toRange({ kind: 'explicit', center: 128, width: 256 })).toEqual({ low: 0, high: 255 });
  expect(toRange({ kind: 'default' })).toBeUndefined();
});

test('colors are written and read alike', () => {
  expect(fromHex(toHex([1, 128, 255]))).toEqual([1, 128, 255]);
});
