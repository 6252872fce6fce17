import { expect, test } from 'vitest';
import type { MaskLayer } from './maskLayers.ts';
import { paintMasks } from './paintMasks.ts';
import { FIRST_STYLE, type LayerLook, type PartStyle } from './partStyle.ts';

const COLORS: Readonly<Record<number, readonly [number, number, number]>> = {
  1: [255, 0, 0],
  2: [0, 0, 255],
  7: [0, 255, 0],
};

function look(styles: Readonly<Record<number, Partial<PartStyle>>> = {}): LayerLook {
  return {
    colorOf: (segment) => COLORS[segment] ?? [9, 9, 9],
    styleOf: (segment) => ({ ...FIRST_STYLE, opacity: 1, ...styles[segment] }),
  };
}

function layer(different: Partial<MaskLayer>): MaskLayer {
  const samples = different.samples ?? Uint8Array.of(1, 1);
  const place = { top: 0, left: 0, rows: 1, columns: samples.length };
  return { frame: 0, segment: 1, kind: 'mask', maximum: undefined, ...place, ...different, samples };
}

/** Pixel by pixel. */
function pixelsOf(layers: readonly MaskLayer[], how: LayerLook): number[][] {
  const { pixels = [] } = paintMasks(layers, how) ?? {};
  return Array.from({ length: pixels.length / 4 }, (_, i) => Array.from(pixels.slice(i * 4, i * 4 + 4)));
}

test('a picture reaches around all layers and no further', () => {
  const painted = paintMasks([layer({ left: 4, top: 2 }), layer({ segment: 2, left: 1, top: 3 })], look());

  expect(painted).toMatchObject({ left: 1, top: 2, width: 5, height: 2 });
});

test('where two segments overlap the later covers the earlier by its opacity', () => {
  const layers = [layer({}), layer({ segment: 2, samples: Uint8Array.of(0, 1) })];

  // Blue with opacity one half over opaque red: half of each.
  expect(pixelsOf(layers, look({ 2: { opacity: 0.5 } }))).toEqual([
    [255, 0, 0, 255],
    [128, 0, 128, 255],
  ]);
});

test('fractions are as opaque as they are large', () => {
  const layers = [layer({ kind: 'fractions', maximum: 100, samples: Uint8Array.of(0, 20, 100, 200) })];

  // 0.2 x 255 = 51; values above the maximum are opaque.
  expect(pixelsOf(layers, look()).map(([, , , alpha]) => alpha)).toEqual([0, 51, 255, 255]);
});

test('labels have the looks of their own segments', () => {
  const layers = [layer({ kind: 'labels', segment: undefined, samples: Uint16Array.of(0, 1, 2, 300) })];

  expect(pixelsOf(layers, look({ 1: { isVisible: false } }))).toEqual([
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 255, 255],
    [9, 9, 9, 255],
  ]);
});

test('segments that are hidden or only outlined are not filled', () => {
  expect(paintMasks([layer({})], look({ 1: { isVisible: false } }))).toBeUndefined();
  expect(paintMasks([layer({})], look({ 1: { isOutline: true } }))).toBeUndefined();
});
